import type {
  BatchChanges,
  BatchFeed,
  BlockChanges,
  BlockFeed,
  New,
  Transaction
} from "../../domain/mod.ts"
import type { PriorLedger } from "../../ports/mod.ts"

/**
 * Returns the block with what its decision has derived: effects, nonces, and exits with their
 * proofs. `prior` is the ledger before the block. Decided again there, the result leads to the same
 * changes without an exit tree.
 */
export const completeBlock = (
  block: BlockFeed,
  { batches, queued }: BlockChanges,
  prior: Pick<PriorLedger, "queue">
): BlockFeed =>
  block.batches === undefined || block.batches.every(isComplete)
    ? block
    : {
      ...block,
      batches: block.batches.map((batch, position) =>
        isComplete(batch)
          ? batch
          : completeBatch(batch, batches[position]!, queueOf(batch, queued, prior))
      )
    }

const isComplete = (batch: BatchFeed): boolean =>
  batch.l1UserEffects !== undefined && batch.l2.every(({ nonce }) => nonce !== undefined) &&
  hasProofs(batch)

/** Returns whether the feed has the proof of each exit of a block. */
export const hasExitProofs = ({ batches = [] }: BlockFeed): boolean => batches.every(hasProofs)

const hasProofs = ({ exits }: BatchFeed): boolean =>
  exits !== undefined && exits.every(({ merkleProof }) => merkleProof !== undefined)

/** Returns the transactions of the queue that a batch forges, by position. */
const queueOf = (
  { forgeL1TransactionsNum: queue }: BatchFeed,
  queued: BlockChanges["queued"],
  prior: Pick<PriorLedger, "queue">
): ReadonlyArray<New<Transaction>> =>
  queue === null
    ? []
    : [...prior.queue(queue), ...queued.filter(({ l1 }) => l1?.toForgeL1TransactionsNum === queue)]

function completeBatch(
  batch: BatchFeed,
  { exits, forged, transactions }: BatchChanges,
  queue: ReadonlyArray<New<Transaction>>
): BatchFeed {
  const l2Transactions = transactions.slice(batch.l1Coordinator.length)
  return {
    ...batch,
    l1UserEffects: batch.l1UserEffects ??
      forged.map(({ amountSuccess, depositAmountSuccess }, position) => {
        const { amount, l1 } = queue[position]!
        return {
          effectiveDepositAmount: depositAmountSuccess ? l1!.depositAmount : 0n,
          effectiveAmount: amountSuccess ? amount : 0n
        }
      }),
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
