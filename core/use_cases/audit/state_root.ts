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

/**
 * Computes the root of a state tree. `values` are the values of the leaves of all accounts from the
 * first user account on, without gaps. It yields after some hashes, so that other tasks can run in
 * between.
 *
 * The root is that of the accounts with index ≡ `rest` modulo `stride`. The stride is two to the
 * power of the level, since the root splits the accounts by their lowest bit.
 */
export function* stateRootOf(
  values: ReadonlyArray<bigint>,
  hashes: TreeHashes,
  rest = 0,
  stride = 1
): Generator<void, bigint> {
  const first = rest + Math.max(0, Math.ceil((FIRST_USER_ACCOUNT - rest) / stride)) * stride
  const end = FIRST_USER_ACCOUNT + values.length
  if (first >= end) return 0n
  if (first + stride >= end) {
    yield
    return hashes.leaf(first, values[first - FIRST_USER_ACCOUNT]!)
  }
  const left = yield* stateRootOf(values, hashes, rest, 2 * stride)
  const right = yield* stateRootOf(values, hashes, rest + stride, 2 * stride)
  return hashes.node(left, right)
}
