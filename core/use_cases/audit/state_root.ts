import type { Account } from "../../domain/mod.ts"
import { type AccountIndex, FIRST_USER_ACCOUNT } from "../../encoding/mod.ts"

/** The hash functions of the nodes of a state tree. */
export interface TreeHashes {
  /** Hash of a leaf from key and value. */
  readonly leaf: (index: AccountIndex, value: bigint) => bigint
  readonly node: (left: bigint, right: bigint) => bigint
}

/** The hash functions of a state tree. */
export interface AccountTree extends TreeHashes {
  /** Value of the leaf of an account. */
  readonly account: (account: Account) => bigint
}

const words = 4

/**
 * The leaf values of all accounts from the first user account on, without gaps, and the root of
 * their tree. Takes 32 bytes for each account: inner nodes are not stored.
 */
export class StateLeaves {
  #values = new BigUint64Array(words * 1024)
  #count = 0

  /** Adds the value of the next account. */
  add(value: bigint): void {
    if (words * (this.#count + 1) > this.#values.length) {
      const grown = new BigUint64Array(2 * this.#values.length)
      grown.set(this.#values)
      this.#values = grown
    }
    for (let word = 0; word < words; word++) {
      this.#values[words * this.#count + word] = value >> BigInt(64 * word)
    }
    this.#count++
  }

  get count(): number {
    return this.#count
  }

  /** Returns the root. It yields after some hashes, so that other tasks can run in between. */
  *root(hashes: TreeHashes): Generator<void, bigint> {
    return yield* this.#nodeOf(hashes, 0, 1)
  }

  /**
   * Returns the hash of the node of the accounts with index ≡ `rest` modulo `stride`. The stride is
   * two to the power of the level, since the root splits the accounts by their lowest bit.
   */
  *#nodeOf(hashes: TreeHashes, rest: number, stride: number): Generator<void, bigint> {
    const first = rest + Math.max(0, Math.ceil((FIRST_USER_ACCOUNT - rest) / stride)) * stride
    const end = FIRST_USER_ACCOUNT + this.#count
    if (first >= end) return 0n
    if (first + stride >= end) {
      yield
      return hashes.leaf(first, this.#valueAt(first - FIRST_USER_ACCOUNT))
    }
    const left = yield* this.#nodeOf(hashes, rest, 2 * stride)
    const right = yield* this.#nodeOf(hashes, rest + stride, 2 * stride)
    return hashes.node(left, right)
  }

  #valueAt(position: number): bigint {
    let value = 0n
    for (let word = words - 1; word >= 0; word--) {
      value = value << 64n | this.#values[words * position + word]!
    }
    return value
  }
}
