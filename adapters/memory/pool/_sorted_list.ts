import { firstNot } from "../_binary_search.ts"

/**
 * A sorted list without equal values, in chunks of bounded length. Adding, removing and finding a
 * value cost a binary search and a short move, whatever the length of the list.
 */
export class SortedList<Value> {
  #chunks: Array<Array<Value>> = []
  #length = 0
  readonly #compare: (a: Value, b: Value) => number

  /** `sorted` has the first values in their order. */
  constructor(compare: (a: Value, b: Value) => number, sorted: Array<Value> = []) {
    this.#compare = compare
    if (sorted.length > 0) this.#chunks = [sorted]
    this.#length = sorted.length
  }

  get length(): number {
    return this.#length
  }

  add(value: Value): void {
    const at = Math.min(
      this.#firstChunkNot((last) => this.#compare(last, value) < 0),
      Math.max(0, this.#chunks.length - 1)
    )
    const chunk = this.#chunks[at] ?? (this.#chunks[0] = [])
    chunk.splice(this.#indexIn(chunk, value), 0, value)
    this.#length++
    if (chunk.length > chunkMax) this.#chunks.splice(at + 1, 0, chunk.splice(chunkMax / 2))
  }

  /** Removes the value that compares as equal. Throws if there is none. */
  remove(value: Value): void {
    const at = this.#firstChunkNot((last) => this.#compare(last, value) < 0)
    const chunk = this.#chunks[at]
    const index = chunk === undefined ? 0 : this.#indexIn(chunk, value)
    if (chunk?.[index] === undefined || this.#compare(chunk[index], value) !== 0) {
      throw new Error("The value to remove is not in the list")
    }
    chunk.splice(index, 1)
    this.#length--
    if (chunk.length === 0) this.#chunks.splice(at, 1)
  }

  [Symbol.iterator](): Generator<Value> {
    return this.from(() => false)
  }

  /**
   * Returns the number of values for which `isBefore` is true. `isBefore` must be true for a prefix of
   * the list and false for the rest.
   */
  rank(isBefore: (value: Value) => boolean): number {
    const at = this.#firstChunkNot(isBefore)
    const chunk = this.#chunks[at] ?? []
    const before = this.#chunks.slice(0, at).reduce((sum, { length }) => sum + length, 0)
    return before + firstNot(0, chunk.length, (index) => isBefore(chunk[index]!))
  }

  /** Returns the values with an index in [start, end). */
  slice(start: number, end: number): ReadonlyArray<Value> {
    const values: Array<Value> = []
    let first = 0
    for (const chunk of this.#chunks) {
      if (first >= end) break
      values.push(...chunk.slice(Math.max(0, start - first), Math.max(0, end - first)))
      first += chunk.length
    }
    return values
  }

  /** Yields the values from the first one for which `isBefore` is false, as in `rank`. */
  *from(isBefore: (value: Value) => boolean): Generator<Value> {
    const at = this.#firstChunkNot(isBefore)
    const first = this.#chunks[at]
    if (first === undefined) return
    yield* first.slice(firstNot(0, first.length, (index) => isBefore(first[index]!)))
    for (let next = at + 1; next < this.#chunks.length; next++) yield* this.#chunks[next]!
  }

  /** Yields the values that are greater than `value`, which need not be in the list. */
  after(value: Value): Generator<Value> {
    return this.from((other) => this.#compare(other, value) <= 0)
  }

  /** Returns the index of the chunk with the first value for which `isBefore` is false. */
  #firstChunkNot(isBefore: (value: Value) => boolean): number {
    return firstNot(0, this.#chunks.length, (index) => isBefore(this.#chunks[index]!.at(-1)!))
  }

  #indexIn(chunk: ReadonlyArray<Value>, value: Value): number {
    return firstNot(0, chunk.length, (index) => this.#compare(chunk[index]!, value) < 0)
  }
}

const chunkMax = 512
