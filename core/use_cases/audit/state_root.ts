import { type AccountIndex, FIRST_USER_ACCOUNT } from "../../encoding/mod.ts"

/** The hashes that a state tree is made of. */
export interface TreeHashes {
  /** Of a leaf where it is kept: key, value. */
  readonly leaf: (index: AccountIndex, value: bigint) => bigint
  readonly node: (left: bigint, right: bigint) => bigint
}

const words = 4

/**
 * The values of accounts without gaps from the first one on, and the root of the tree over them: 32 bytes for each, since no node of the
 * tree outlives its parent.
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

  /** In steps, each some hashes, so that others have their turn; the root is what it returns. */
  *root(hashes: TreeHashes): Generator<void, bigint> {
    return yield* this.#below(hashes, 0, 1)
  }

  /** Over the accounts whose index leaves `rest` when it is divided by `stride`, two to the power of the level: the least bit is at the root. */
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
