import { type AccountOwner, isSameOwner } from "../../../core/domain/mod.ts"
import type { OwnedTransaction } from "../../../core/ports/mod.ts"
import { firstAccounts, type PoolChain } from "./pool_network.ts"

/** The state of a transaction as the chain alone determines it. */
export interface ExpectedState {
  readonly state: "fged" | "invl"
  readonly batchNum: number
}

/**
 * Returns the state of each transaction of a group, or null if all are pending or in progress. The
 * first batch that decides about one of them decides for all: what a batch forged is forged,
 * everything else is invalid since then. A batch decides if it uses the nonce, creates an account of
 * the transaction for another owner, or is the last one that may forge it. Transactions to an address
 * or a key must not be forged with another receiver.
 */
export function naiveGroupStates(
  members: ReadonlyArray<OwnedTransaction>,
  { blocks }: Pick<PoolChain, "blocks">
): ReadonlyArray<ExpectedState> | null {
  const batches = blocks.flatMap((block) => block.batches ?? [])
  const accounts = [
    ...firstAccounts.map((account) => ({ ...account, batchNum: 2 })),
    ...batches.flatMap(({ batchNum, l1Coordinator }) =>
      l1Coordinator.map((account) => ({ ...account, batchNum }))
    )
  ]
  /** Returns the batch that created an account for another owner; `Infinity` if none did. */
  const takenIn = (index: number | null, owner: AccountOwner | null): number => {
    const account = accounts[(index ?? 0) - 256]
    return account === undefined || owner === null || isSameOwner(account, owner)
      ? Infinity
      : account.batchNum
  }
  const uses = members.map(({ sender, transaction: { fromAccountIndex, nonce } }) => {
    if (takenIn(fromAccountIndex, sender) !== Infinity) return null
    const batch = batches.find(({ l2 }) =>
      l2.some((each) => each.fromAccountIndex === fromAccountIndex && each.nonce === nonce)
    )
    const used = batch?.l2.find((each) =>
      each.fromAccountIndex === fromAccountIndex && each.nonce === nonce
    )
    return used === undefined ? null : { ...used, batchNum: batch!.batchNum }
  })
  const last = batches.at(-1)?.batchNum ?? 0
  const closed = Math.min(
    ...members.flatMap(({ receiver, sender, transaction }, position) => {
      const { fromAccountIndex, maxNumBatch = Infinity, toAccountIndex } = transaction
      return [
        uses[position]?.batchNum ?? Infinity,
        takenIn(fromAccountIndex, sender),
        takenIn(toAccountIndex, receiver),
        maxNumBatch <= last ? maxNumBatch : Infinity
      ]
    })
  )
  if (closed === Infinity) return null
  return members.map(({ transaction: { amount, fee, toAccountIndex } }, position) => {
    const used = uses[position]
    const isForged = used?.amount === amount && used.fee === fee &&
      (toAccountIndex === null || used.toAccountIndex === toAccountIndex)
    return isForged
      ? { state: "fged", batchNum: used.batchNum }
      : { state: "invl", batchNum: closed }
  })
}
