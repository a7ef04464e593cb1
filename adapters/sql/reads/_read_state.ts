import {
  type AuctionClock,
  type BatchSums,
  bootCoordinator,
  feeWindowMs,
  type GenesisFeed,
  lastForgerSlot,
  metricsOf,
  metricsWindowMs,
  type NetworkState,
  nextForgersOf,
  type RecommendedFeeOptions,
  recommendedFeeOf,
  slotNumMax
} from "../../../core/domain/mod.ts"
import {
  type LedgerReader,
  type LedgerTotals,
  noTotals,
  synchedBlockNum
} from "../../../core/ports/mod.ts"
import { answerStatement, type SqlAnswer } from "../connection/mod.ts"
import {
  batch,
  computed,
  currentVariables,
  decodeParameterSet,
  from,
  hash,
  inferredShape,
  integer,
  part,
  type ShapeRow,
  totals,
  uint32,
  uint64
} from "../entities/mod.ts"
import type { SlotReader } from "./_list_slots.ts"
import { bestBidsInRange, rangeParameters, readSlots, slotRows } from "./_slots.ts"

/** The network, and the options of the fee that the state recommends. */
interface StateOptions extends RecommendedFeeOptions {
  readonly genesis: GenesisFeed
}

/** A batch, without which there are no sums. */
const batchTime = part(
  "batch_num",
  inferredShape({ batchNum: ["batch_num", uint32], timestampMs: ["timestamp_ms", integer] })
)
/** Sums over all batches up to one; null if there is no such batch. */
const sums = part("total_transactions", totals)

/** The last block, or the head above it, and the sums over all batches and before each window. */
const stateRow = inferredShape({
  hash: computed("synched.hash", hash),
  timestampMs: computed("synched.timestamp_ms", integer),
  lastEthereumBlock: computed("greatest(block.last_ethereum_block, ledger.chain_head)", uint64),
  totalQueued: computed("block.total_queued", integer),
  lastBatch: from("last", part("batch_num", batch)),
  last: from("last", sums),
  day: from("day", batchTime),
  beforeDay: from("before_day", sums),
  hour: from("hour", batchTime),
  beforeHour: from("before_hour", sums)
})
type StateRow = ShapeRow<typeof stateRow>

/**
 * Joins the first batch of a window that ends with the last block or the head above it, and the batch before it, which
 * has the sums over all earlier batches.
 */
const firstInWindow = (name: string, windowMs: number): string => `
LEFT JOIN LATERAL (
  SELECT batch.batch_num, batch.timestamp_ms FROM batch WHERE batch.timestamp_ms >= synched.timestamp_ms - ${windowMs} ORDER BY batch.timestamp_ms, batch.batch_num LIMIT 1
) AS ${name} ON true
LEFT JOIN LATERAL (SELECT * FROM batch WHERE batch.batch_num = ${name}.batch_num - 1 LIMIT 1) AS before_${name} ON true`

/** The best bids of the slots from $1 to $2, the state, and all variables. */
const stateStatement = answerStatement({
  ctes: [bestBidsInRange],
  head: [
    ...stateRow.select("").map(({ sql }) => sql),
    ...(["rollup", "withdrawalDelayer", "auction"] as const).map(currentVariables)
  ],
  from: `
CROSS JOIN LATERAL (SELECT * FROM block WHERE block.number = ledger.ethereum_block_num LIMIT 1) AS block
CROSS JOIN LATERAL (
  SELECT CASE WHEN above THEN ledger.head_hash ELSE block.hash END AS hash, CASE WHEN above THEN ledger.head_timestamp_ms ELSE block.timestamp_ms END AS timestamp_ms
  FROM (VALUES (coalesce(ledger.head_number > block.number, false))) AS head (above)
) AS synched
LEFT JOIN LATERAL (SELECT * FROM batch WHERE batch.batch_num = ledger.batch_num LIMIT 1) AS last ON true
${firstInWindow("day", metricsWindowMs)}
${firstInWindow("hour", feeWindowMs)}`,
  rows: slotRows(String(slotNumMax + 1))
})

/**
 * Returns an effect that reads the state of the network at the last block, or at the head above it. It costs a few index
 * probes, and one for each closed slot from the current one on.
 */
export const readState = (
  slots: SlotReader,
  options: StateOptions
): LedgerReader["Service"]["state"] =>
  slots.inRange(
    // those of the next forgers
    (clock) => ({ first: clock.currentSlot, end: lastForgerSlot(clock) + 1 }),
    (range) => ({ statement: stateStatement, parameters: rangeParameters(range) }),
    (answer, clock) => ({
      state: stateOf(answer, clock, options),
      snapshotId: answer.snapshotId
    })
  )

/**
 * Returns the sums from the first batch of a window to the last batch, null if there is none;
 * `before` has the sums over the batches before it.
 */
const sumsInWindow = (
  first: StateRow["day"],
  before: LedgerTotals | null,
  row: StateRow
): BatchSums => {
  const last = row.last ?? noTotals
  const earlier = first === null ? last : before ?? noTotals
  return {
    batches: first === null ? 0 : row.lastBatch!.batchNum - first.batchNum + 1,
    transactions: last.transactions - earlier.transactions,
    l2Transactions: last.l2Transactions - earlier.l2Transactions,
    firstTimestampMs: first?.timestampMs ?? 0,
    lastTimestampMs: first === null ? 0 : row.lastBatch!.timestampMs,
    feeUnits: last.feeUnits - earlier.feeUnits,
    l1UserTransactions: last.l1UserTransactions - earlier.l1UserTransactions,
    l1WaitMs: last.l1WaitMs - earlier.l1WaitMs
  }
}

const stateOf = (
  { head, rows, snapshotId }: SqlAnswer,
  clock: AuctionClock,
  options: StateOptions
): NetworkState => {
  const row = stateRow.read(head, 0)
  const [rollup, withdrawalDelayer] = head.slice(stateRow.columns.length)
  const { hash, last, lastBatch, lastEthereumBlock, timestampMs, totalQueued } = row
  const { slot } = readSlots(clock, rows)
  const boot = bootCoordinator(clock.variables)
  return {
    lastEthereumBlock,
    lastSynchedBlock: synchedBlockNum(snapshotId),
    lastBatch,
    currentSlot: clock.currentSlot,
    nextForgers: nextForgersOf(
      clock,
      { number: synchedBlockNum(snapshotId), hash, timestampMs },
      (slotNum) => slot(slotNum).winner ?? boot
    ),
    pendingL1Transactions: totalQueued - (last ?? noTotals).l1UserTransactions,
    metrics: metricsOf(sumsInWindow(row.day, row.beforeDay, row), {
      ageMs: timestampMs - options.genesis.block.timestampMs,
      totalAccounts: (last ?? noTotals).accounts,
      totalPublicKeys: (last ?? noTotals).publicKeys
    }),
    variables: {
      rollup: decodeParameterSet("rollup", rollup as string),
      auction: clock.variables,
      withdrawalDelayer: decodeParameterSet("withdrawalDelayer", withdrawalDelayer as string)
    },
    recommendedFee: recommendedFeeOf(sumsInWindow(row.hour, row.beforeHour, row), options)
  }
}
