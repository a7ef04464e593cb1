import type { BatchFeed, BlockFeed } from "../../domain/mod.ts"
import type { PlacedBatch, PlacedBlock } from "../../ports/mod.ts"

/**
 * Returns the block with what its decision has derived: effects, nonces, and exits with their
 * proofs. Decided again on the same ledger, the result leads to the same changes without an exit
 * tree.
 */
export const completeBlock = (
  block: BlockFeed,
  { batches }: Pick<PlacedBlock, "batches">
): BlockFeed =>
  block.batches === undefined || block.batches.every(isComplete)
    ? block
    : {
      ...block,
      batches: block.batches.map((batch, position) =>
        isComplete(batch) ? batch : completeBatch(batch, batches[position]!)
      )
    }

const isComplete = (batch: BatchFeed): boolean =>
  batch.l1UserEffects !== undefined && batch.l2.every(({ nonce }) => nonce !== undefined) &&
  hasProofs(batch)

/** Returns whether the feed has the proof of each exit of a block. */
export const hasExitProofs = ({ batches = [] }: BlockFeed): boolean => batches.every(hasProofs)

const hasProofs = ({ exits }: BatchFeed): boolean =>
  exits !== undefined && exits.every(({ merkleProof }) => merkleProof !== undefined)

function completeBatch(
  batch: BatchFeed,
  { exits, forged, transactions }: PlacedBatch
): BatchFeed {
  const l2Transactions = transactions.slice(forged.length + batch.l1Coordinator.length)
  return {
    ...batch,
    l1UserEffects: batch.l1UserEffects ??
      transactions.slice(0, forged.length).map(({ amount, l1 }) => ({
        effectiveDepositAmount: l1!.depositAmountSuccess ? l1!.depositAmount : 0n,
        effectiveAmount: l1!.amountSuccess ? amount : 0n
      })),
    l2: batch.l2.map((transaction, position) => ({
      ...transaction,
      nonce: l2Transactions[position]!.l2!.nonce
    })),
    exits: hasProofs(batch) ?
      batch.exits! :
      exits.map(({ accountIndex, balance, merkleProof }) => ({
        accountIndex,
        balance,
        merkleProof
      }))
  }
}
