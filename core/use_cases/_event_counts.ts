import { counter, type Labels, type Series } from "../ports/mod.ts"

/** Counts events by labels. */
export class EventCounts<Event extends Labels> {
  readonly #counts = new Map<string, number>()
  readonly #keyOf: (event: Event) => string
  readonly series: ReadonlyArray<Series>

  /**
   * @param events all that can happen: each has its series from the start, since Prometheus sees no
   *   increase in a series that begins with 1
   */
  constructor(name: string, description: string, events: ReadonlyArray<Event>) {
    const labels = Object.keys(events[0]!)
    this.#keyOf = (event) => labels.map((label) => event[label]).join(" ")
    this.series = events.map((event) =>
      counter(name, description, () => this.#counts.get(this.#keyOf(event)) ?? 0, event)
    )
  }

  add(event: Event, count = 1): void {
    const key = this.#keyOf(event)
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count)
  }
}
