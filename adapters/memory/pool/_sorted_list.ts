import { firstNot } from "../_binary_search.ts"

/**
 * Values in an order without equals, in runs of bounded length: adding, removing and finding cost a search and a short move,
 * whatever the length of the whole.
 */
export class SortedList<Value> {
  #runs: Array<Array<Value>> = []
  #length = 0
  readonly #compare: (a: Value, b: Value) => number

  constructor(compare: (a: Value, b: Value) => number) {
    this.#compare = compare
  }

  get length(): number {
    return this.#length
  }

  add(value: Value): void {
    const at = Math.min(
      this.#runFrom((last) => this.#compare(last, value) < 0),
      Math.max(0, this.#runs.length - 1)
    )
    const run = this.#runs[at] ?? (this.#runs[0] = [])
    run.splice(firstNot(0, run.length, (index) => this.#compare(run[index]!, value) < 0), 0, value)
    this.#length++
    if (run.length > RUN_MAX) this.#runs.splice(at + 1, 0, run.splice(RUN_MAX / 2))
  }

  /** Removes the value that compares as equal; it has to be there. */
  remove(value: Value): void {
    const at = this.#runFrom((last) => this.#compare(last, value) < 0)
    const run = this.#runs[at]
    const place = run === undefined
      ? 0
      : firstNot(0, run.length, (index) => this.#compare(run[index]!, value) < 0)
    if (run?.[place] === undefined || this.#compare(run[place], value) !== 0) {
      throw new Error("The value to remove is not in the list")
    }
    run.splice(place, 1)
    this.#length--
    if (run.length === 0) this.#runs.splice(at, 1)
  }

  /** Values from the first one that is not `before`; `before` holds for a beginning of the list and for nothing after it. */
  *from(before: (value: Value) => boolean): Generator<Value> {
    const at = this.#runFrom(before)
    const first = this.#runs[at]
    if (first === undefined) return
    yield* first.slice(firstNot(0, first.length, (index) => before(first[index]!)))
    for (let next = at + 1; next < this.#runs.length; next++) yield* this.#runs[next]!
  }

  /** Values that come after one that need not be in the list. */
  after(value: Value): Generator<Value> {
    return this.from((other) => this.#compare(other, value) <= 0)
  }

  /** The run that holds the first value which is not `before`. */
  #runFrom(before: (value: Value) => boolean): number {
    return firstNot(0, this.#runs.length, (index) => before(this.#runs[index]!.at(-1)!))
  }
}

const RUN_MAX = 512
