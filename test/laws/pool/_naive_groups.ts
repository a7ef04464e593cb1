import type { PoolTransaction } from "../../../core/domain/mod.ts"
import type { PoolChain } from "./pool_network.ts"

/** The state of a transaction as the chain alone determines it. */
export interface ExpectedState {
  readonly state: "fged" | "invl"
  readonly batchNum: number
}

/**
 * Returns the state of each transaction of a group, or null if all are pending or in progress. The
 * first batch that uses the nonce of one of them decides for all: what a batch forged is forged,
 * everything else is invalid since then. Transactions to an address or a key must not be forged with
 * another receiver.
 */
export function naiveGroupStates(
  members: ReadonlyArray<PoolTransaction>,
  { blocks }: Pick<PoolChain, "blocks">
): ReadonlyArray<ExpectedState> | null {
  const batches = blocks.flatMap((block) => block.batches ?? [])
  const uses = members.map(({ fromAccountIndex, nonce }) => {
    const batch = batches.find(({ l2 }) =>
      l2.some((each) => each.fromAccountIndex === fromAccountIndex && each.nonce === nonce)
    )
    const used = batch?.l2.find((each) =>
      each.fromAccountIndex === fromAccountIndex && each.nonce === nonce
    )
    return used === undefined ? null : { ...used, batchNum: batch!.batchNum }
  })
  const closed = Math.min(...uses.map((used) => used?.batchNum ?? Infinity))
  if (closed === Infinity) return null
  return members.map(({ amount, fee, toAccountIndex }, position) => {
    const used = uses[position]
    const isForged = used?.amount === amount && used.fee === fee &&
      (toAccountIndex === null || used.toAccountIndex === toAccountIndex)
    return isForged
      ? { state: "fged", batchNum: used.batchNum }
      : { state: "invl", batchNum: closed }
  })
}
