import { Result } from "effect"
import { keccak256 } from "../../../adapters/crypto/mod.ts"
import type { Token } from "../../../core/domain/mod.ts"
import { decodeFloat40, FIELD_ORDER, floorFloat40, hexOfBytes } from "../../../core/encoding/mod.ts"

/**
 * A pseudorandom number generator (xoshiro128**) with a text as seed: the only source of randomness
 * here.
 */
export class Random {
  readonly #state = new Uint32Array(4)

  constructor(seed: string) {
    this.reseed(seed)
  }

  /** Resets the generator to a seed. */
  reseed(seed: string): void {
    const digest = digestOf(seed)
    this.#state.fill(0)
    for (let i = 0; i < 16; i++) this.#state[i >> 2] = (this.#state[i >> 2]! << 8) | digest[i]!
  }

  /** Returns a number x with 0 ≤ x < 1. */
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

  /** Returns an integer from `minimum` to `maximum`, both included. */
  integer(minimum: number, maximum: number): number {
    return minimum + Math.floor(this.next() * (maximum - minimum + 1))
  }

  /** Returns an integer from 0 to `count - 1`, small numbers more often. */
  skewed(count: number): number {
    const drawn = this.next()
    // not Math.pow, whose last bit differs between engines
    return Math.floor(drawn * drawn * count)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** Returns one of the items; undefined if there are none. */
  pick<Item>(items: ReadonlyArray<Item>): Item | undefined {
    return items[Math.floor(this.next() * items.length)]
  }

  /** Returns one of the items, of which there is at least one. */
  oneOf<Item>(items: readonly [Item, ...ReadonlyArray<Item>]): Item {
    return items[Math.floor(this.next() * items.length)] ?? items[0]
  }
}

/** Returns the amount, rounded down to a value that a transaction can encode. */
export function floorAmount(amount: bigint): bigint {
  return decodeFloat40(Result.getOrThrow(floorFloat40(amount)))
}

/**
 * Returns 1 to `sharesMax` 4096ths of a balance, rounded down to a value that a transaction can
 * encode.
 */
export function randomShare(random: Random, balance: bigint, sharesMax: number): bigint {
  return floorAmount((balance * BigInt(random.integer(1, sharesMax))) >> 12n)
}

/**
 * Returns the amount of a deposit: 1 to 1000 whole tokens, small amounts more often. Divides it by
 * 1000 if the token costs more than 500 US dollars. A token with less than 3 decimals gets 100 to
 * 99900 units.
 */
export function depositAmount(
  random: Random,
  { decimals, priceUSD }: Pick<Token, "decimals" | "priceUSD">
): bigint {
  const hundredths = BigInt(random.integer(100, 999) * random.oneOf([1, 1, 10, 10, 100]))
  const digits = decimals - 2 - ((priceUSD ?? 0) > 500 ? 3 : 0)
  return digits > 0 ? hundredths * 10n ** BigInt(digits) : hundredths
}

/** Returns the hash of a block, which differs on every fork. */
export function blockHashOf(seed: string, number: bigint, fork: number): string {
  return `0x${hexOfBytes(digestOf(`${seed}/block/${number}/${fork}`))}`
}

/**
 * Returns a placeholder for the root of the state tree: a field element that differs for each batch
 * and each fork.
 */
export function placeholderRootOf(blockHash: string, batchNum: number): bigint {
  return BigInt(`0x${hexOfBytes(digestOf(`${blockHash}/state/${batchNum}`))}`) % FIELD_ORDER
}

/** Returns 32 pseudorandom bytes that depend only on the text. */
export function digestOf(text: string): Uint8Array {
  return keccak256(new TextEncoder().encode(text))
}
