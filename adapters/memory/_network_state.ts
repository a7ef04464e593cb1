import {
  type BatchSums,
  bootCoordinator,
  feeWindowMs,
  metricsOf,
  metricsWindowMs,
  type NetworkState,
  nextForgersOf,
  recommendedFeeOf,
  usdOfFeeSum
} from "../../core/domain/mod.ts"
import type { History } from "./state/mod.ts"
import type { LedgerState } from "./state/mod.ts"
import { firstNot } from "./_binary_search.ts"
import { slotAt } from "./_slot_at.ts"

/** The network as the last block leaves it; costs a few binary searches whatever the size of the ledger. */
export const networkState = (ledger: LedgerState): NetworkState => {
  const { history, clock, lastBlock, parameters } = ledger
  const variables = parameters.current
  const boot = bootCoordinator(variables.auction)
  const day = firstBatchSince(history, lastBlock.timestampMs - metricsWindowMs)
  const hour = firstBatchSince(history, lastBlock.timestampMs - feeWindowMs)
  return {
    lastEthereumBlock: ledger.lastEthereumBlock,
    lastSynchedBlock: lastBlock.number,
    lastBatch: history.batch(history.lastBatchNum) ?? null,
    currentSlot: clock.currentSlot,
    // the winner of a slot in this range is known: its auction is closed
    nextForgers: nextForgersOf(
      clock,
      lastBlock,
      (slotNum) => slotAt(ledger, clock, slotNum).winner ?? boot
    ),
    metrics: metricsOf(sumsFrom(history, day), {
      totalAccounts: history.accounts.table.length,
      totalPublicKeys: history.accounts.publicKeys
    }),
    variables,
    recommendedFee: recommendedFeeOf(sumsFrom(history, hour), ledger)
  }
}

/** One above the last batch where none is that new. */
const firstBatchSince = (history: History, timestampMs: number): number =>
  firstNot(
    1,
    history.lastBatchNum + 1,
    (batchNum) => history.batch(batchNum)!.timestampMs < timestampMs
  )

/** From a batch to the last one: the marks hold the sums of all before. */
const sumsFrom = (history: History, batchNum: number): BatchSums => {
  const before = history.mark(batchNum - 1)
  const last = history.mark(history.lastBatchNum)
  return {
    batches: history.lastBatchNum - batchNum + 1,
    transactions: last.transactions - before.transactions,
    l2Transactions: last.l2Transactions - before.l2Transactions,
    firstTimestampMs: history.batch(batchNum)?.timestampMs ?? 0,
    lastTimestampMs: batchNum > history.lastBatchNum
      ? 0
      : history.batch(history.lastBatchNum)!.timestampMs,
    feesUSD: usdOfFeeSum(last.feeUnits - before.feeUnits)
  }
}
