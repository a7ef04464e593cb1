/** A seeded random number generator (mulberry32), so that a failing run can be replayed. */
export class Random {
  private state: number
  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** Returns a number in [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let t = this.state
    t = Math.imul(t ^ t >>> 15, t | 1)
    t ^= t + Math.imul(t ^ t >>> 7, t | 61)
    return ((t ^ t >>> 14) >>> 0) / 4294967296
  }

  /** Returns an integer in [0, below). */
  below(below: number): number {
    return Math.floor(this.next() * below)
  }

  /** Returns true with a probability. */
  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** Returns one of the values. */
  of<T>(values: ReadonlyArray<T>): T {
    return values[this.below(values.length)]!
  }
}
