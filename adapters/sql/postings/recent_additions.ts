import type { Additions, KnownAdditions } from "./posting_entries.ts"

/** Items of a generation. */
const generationMax = 200_000

/**
 * What the newest transactions add to keys. When a row of a list becomes full most of its items are among them, and need not be read
 * again. Only committed rows are noted: their item ids are never used again, so what is known stays true, whoever writes meanwhile.
 */
export class RecentAdditions implements KnownAdditions {
  private current = new Map<number, Additions>()
  private previous = new Map<number, Additions>()

  readonly get = (item: number): Additions | undefined =>
    this.current.get(item) ?? this.previous.get(item)

  note(additions: ReadonlyMap<number, Additions>): void {
    if (this.current.size + additions.size > generationMax) {
      this.previous = this.current
      this.current = new Map()
    }
    for (const [item, each] of additions) this.current.set(item, each)
  }
}
