/** Pseudo-random choices that depend only on the seed. */
export class SeededRandom {
  #state: number

  constructor(seed: string | number) {
    this.#state = [...String(seed)].reduce(
      (hash, character) => Math.imul(hash ^ character.charCodeAt(0), 0x01000193),
      0x811c9dc5
    )
  }

  /** Returns an integer of at least 0 and less than `limit`. */
  below(limit: number): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }

  of<T>(values: ReadonlyArray<T>): T {
    return values[this.below(values.length)]!
  }

  chance(share: number): boolean {
    return this.below(1_000_000) < share * 1_000_000
  }

  /** Returns a random subset in the same order; each value is included with probability `share`. */
  some<T>(values: ReadonlyArray<T>, share: number): ReadonlyArray<T> {
    return values.filter(() => this.chance(share))
  }
}
