import { digestOf } from "./chain.ts"

/** Chance that can be repeated: xoshiro128**, seeded by a text. Nothing in the simulator draws from elsewhere. */
export class Random {
  readonly #state = new Uint32Array(4)

  constructor(seed: string) {
    this.reseed(seed)
  }

  /** As if it was new. */
  reseed(seed: string): void {
    const digest = digestOf(seed)
    this.#state.fill(0)
    for (let i = 0; i < 16; i++) this.#state[i >> 2] = (this.#state[i >> 2]! << 8) | digest[i]!
  }

  /** 0 ≤ x < 1. */
  next(): number {
    const state = this.#state
    const s1 = state[1]!
    const rotated = Math.imul(s1, 5)
    const result = Math.imul((rotated << 7) | (rotated >>> 25), 9) >>> 0
    state[2]! ^= state[0]!
    state[3]! ^= s1
    state[1]! ^= state[2]!
    state[0]! ^= state[3]!
    state[2]! ^= s1 << 9
    state[3] = (state[3]! << 11) | (state[3]! >>> 21)
    return result / 4294967296
  }

  /** An integer between both bounds, both included. */
  integer(minimum: number, maximum: number): number {
    return minimum + Math.floor(this.next() * (maximum - minimum + 1))
  }

  /** From 0 to below the count, small numbers more often. */
  skewed(count: number): number {
    const drawn = this.next()
    // no power function, whose last bit differs between engines
    return Math.floor(drawn * drawn * count)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** Undefined only of an empty list. */
  pick<Item>(items: ReadonlyArray<Item>): Item | undefined {
    return items[Math.floor(this.next() * items.length)]
  }

  /** Picks from a list that is known not to be empty. */
  oneOf<Item>(items: readonly [Item, ...ReadonlyArray<Item>]): Item {
    return items[Math.floor(this.next() * items.length)] ?? items[0]
  }
}
