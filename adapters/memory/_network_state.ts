import {
  type BatchSums,
  bootCoordinator,
  feeWindowMs,
  metricsOf,
  metricsWindowMs,
  type NetworkState,
  newestEthereumBlock,
  nextForgersOf,
  recommendedFeeOf
} from "../../core/domain/mod.ts"
import { firstNot } from "./_binary_search.ts"
import { slotAt } from "./_views.ts"
import type { History, LedgerState } from "./state/mod.ts"

/**
 * Returns the state of the network at the last block, or at the head above it. It costs a few binary searches, whatever the
 * size of the ledger.
 */
export const networkState = (state: LedgerState): NetworkState => {
  const { history, clock, genesis, head, parameters, synchedBlock } = state
  const variables = parameters.current
  const boot = bootCoordinator(variables.auction)
  const day = firstBatchSince(history, synchedBlock.timestampMs - metricsWindowMs)
  const hour = firstBatchSince(history, synchedBlock.timestampMs - feeWindowMs)
  return {
    lastEthereumBlock: newestEthereumBlock(state.lastEthereumBlock, head),
    lastSynchedBlock: synchedBlock.number,
    lastBatch: history.batch(history.lastBatchNum) ?? null,
    currentSlot: clock.currentSlot,
    // the auctions of these slots are closed, so their winners are final
    nextForgers: nextForgersOf(
      clock,
      synchedBlock,
      (slotNum) => slotAt(state, clock, slotNum).winner ?? boot
    ),
    pendingL1Transactions: history.queues.unforged,
    metrics: metricsOf(sumsFrom(history, day), {
      ageMs: synchedBlock.timestampMs - genesis.block.timestampMs,
      totalAccounts: history.accounts.table.length,
      totalPublicKeys: history.totalsAfter(history.lastBatchNum).publicKeys
    }),
    variables,
    recommendedFee: recommendedFeeOf(sumsFrom(history, hour), state.fees)
  }
}

/** Returns the first batch since a time; one above the last batch if there is none. */
const firstBatchSince = (history: History, timestampMs: number): number =>
  firstNot(
    1,
    history.lastBatchNum + 1,
    (batchNum) => history.batch(batchNum)!.timestampMs < timestampMs
  )

/** Returns the sums over the batches from `batchNum` to the last one. */
const sumsFrom = (history: History, batchNum: number): BatchSums => {
  const before = history.totalsAfter(batchNum - 1)
  const last = history.totalsAfter(history.lastBatchNum)
  return {
    batches: history.lastBatchNum - batchNum + 1,
    transactions: last.transactions - before.transactions,
    l2Transactions: last.l2Transactions - before.l2Transactions,
    firstTimestampMs: history.batch(batchNum)?.timestampMs ?? 0,
    lastTimestampMs: batchNum > history.lastBatchNum
      ? 0
      : history.batch(history.lastBatchNum)!.timestampMs,
    feeUnits: last.feeUnits - before.feeUnits,
    l1UserTransactions: last.l1UserTransactions - before.l1UserTransactions,
    l1WaitMs: last.l1WaitMs - before.l1WaitMs
  }
}
