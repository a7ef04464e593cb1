import { type AccountIndex, FIRST_USER_ACCOUNT } from "../../encoding/mod.ts"

/** The hash functions of a state tree. */
export interface TreeHashes {
  /** Hash of a leaf from key and value. */
  readonly leaf: (index: AccountIndex, value: bigint) => bigint
  readonly node: (left: bigint, right: bigint) => bigint
}

const words = 4

/**
 * Leaf values of accounts without gaps from the first one on, and the root of the tree over them.
 * It takes 32 bytes per account, since no node outlives its parent.
 */
export class StateLeaves {
  #values = new BigUint64Array(words * 1024)
  #count = 0

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

  /**
   * Computes the root in steps of some hashes each, so that other tasks can run in between. Returns
   * the root.
   */
  *root(hashes: TreeHashes): Generator<void, bigint> {
    return yield* this.#below(hashes, 0, 1)
  }

  /**
   * Computes the node of the accounts with index ≡ `rest` modulo `stride`, which is two to the
   * power of the level: the root splits by the lowest bit.
   */
  *#below(hashes: TreeHashes, rest: number, stride: number): Generator<void, bigint> {
    const first = rest + Math.max(0, Math.ceil((FIRST_USER_ACCOUNT - rest) / stride)) * stride
    const end = FIRST_USER_ACCOUNT + this.#count
    if (first >= end) return 0n
    if (first + stride >= end) {
      yield
      return hashes.leaf(first, this.#at(first - FIRST_USER_ACCOUNT))
    }
    const left = yield* this.#below(hashes, rest, 2 * stride)
    const right = yield* this.#below(hashes, rest + stride, 2 * stride)
    return hashes.node(left, right)
  }

  #at(place: number): bigint {
    let value = 0n
    for (let word = words - 1; word >= 0; word--) {
      value = value << 64n | this.#values[words * place + word]!
    }
    return value
  }
}
