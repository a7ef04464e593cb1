import { Effect } from "effect"
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
import { type LedgerStamp, type StoreFailure, synchedBlockNum } from "../../../core/ports/mod.ts"
import { answerStatement, prefixedHex, type SqlAnswer } from "../connection/mod.ts"
import { batchRowSql, decodeBatch } from "./history_rows.ts"
import { decodeParameterSet } from "./parameter_sets.ts"
import { Requery, type RunQuery } from "./_run_query.ts"
import { bestBids, clockReader, currentVariables, readSlots, slotRows } from "./_slots.ts"

/** The network, and the options of the fee that the state recommends. */
interface StateOptions extends RecommendedFeeOptions {
  readonly genesis: GenesisFeed
}

const sums = [
  "total_transactions",
  "total_l2_transactions",
  "total_fee_units",
  "total_l1_user_transactions",
  "total_l1_wait_ms"
]
const sumsOf = (batch: string): ReadonlyArray<string> =>
  sums.map((sum) => `coalesce(${batch}.${sum}, 0)`)

/**
 * Joins the first batch of a window that ends with the last block or the head above it, and the batch before it, which
 * has the sums over all earlier batches.
 */
const firstInWindow = (name: string, windowMs: number): string => `
LEFT JOIN LATERAL (
  SELECT batch.batch_num, batch.timestamp_ms FROM batch WHERE batch.timestamp_ms >= synched.timestamp_ms - ${windowMs} ORDER BY batch.timestamp_ms, batch.batch_num LIMIT 1
) AS ${name} ON true
LEFT JOIN LATERAL (SELECT * FROM batch WHERE batch.batch_num = ${name}.batch_num - 1 LIMIT 1) AS before_${name} ON true`
const windowColumns = (name: string): ReadonlyArray<string> => [
  `${name}.batch_num`,
  `${name}.timestamp_ms`,
  ...sumsOf(`before_${name}`)
]

/** The best bids of the slots from $1 to $2, the other variables and the last batch. */
const stateStatement = answerStatement({
  ctes: [
    bestBids("SELECT each.slot_num FROM generate_series($1::bigint, $2::bigint) AS each (slot_num)")
  ],
  head: [
    "encode(synched.hash, 'hex')",
    "synched.timestamp_ms",
    "greatest(block.last_ethereum_block, ledger.chain_head)",
    "last.batch_num",
    "last.timestamp_ms",
    ...sumsOf("last"),
    "coalesce(last.total_accounts, 0)",
    "coalesce(last.total_public_keys, 0)",
    "block.total_queued - coalesce(last.total_l1_user_transactions, 0)",
    ...windowColumns("day"),
    ...windowColumns("hour")
  ],
  headText: currentVariables("auction"),
  from: `
CROSS JOIN LATERAL (SELECT * FROM block WHERE block.number = ledger.ethereum_block_num LIMIT 1) AS block
CROSS JOIN LATERAL (
  SELECT CASE WHEN above THEN ledger.head_hash ELSE block.hash END AS hash, CASE WHEN above THEN ledger.head_timestamp_ms ELSE block.timestamp_ms END AS timestamp_ms
  FROM (VALUES (coalesce(ledger.head_number > block.number, false))) AS head (above)
) AS synched
LEFT JOIN LATERAL (SELECT * FROM batch WHERE batch.batch_num = ledger.batch_num LIMIT 1) AS last ON true
${firstInWindow("day", metricsWindowMs)}
${firstInWindow("hour", feeWindowMs)}`,
  rows: [
    ...slotRows(String(slotNumMax + 1)),
    `SELECT ${slotNumMax + 2}, ${currentVariables("rollup")}`,
    `SELECT ${slotNumMax + 3}, ${currentVariables("withdrawalDelayer")}`,
    `SELECT ${
      slotNumMax + 4
    }, ${batchRowSql} FROM ledger CROSS JOIN LATERAL (SELECT * FROM batch WHERE batch.batch_num = ledger.batch_num LIMIT 1) AS r`
  ]
})

/**
 * Returns an effect that reads the state of the network at the last block, or at the head above it. It costs a few index
 * probes, and one for each closed slot from the current one on.
 */
export const makeReadState = (
  runQuery: RunQuery,
  options: StateOptions
): Effect.Effect<{ readonly state: NetworkState; readonly stamp: LedgerStamp }, StoreFailure> => {
  const clockOf = clockReader(options.genesis.constants.auction)
  // the slots of the next forgers, by the clock of the last answer; none before the first answer
  let slots: readonly [first: number, last: number] = [0, -1]
  return Effect.suspend(() => {
    let queriedSlots = slots
    const query = () => ({ text: stateStatement, parameters: queriedSlots.map(String) })
    return runQuery(query(), (answer) => {
      const clock = clockOf(answer)
      slots = [clock.currentSlot, lastForgerSlot(clock)]
      if (queriedSlots[0] === slots[0] && queriedSlots[1] === slots[1]) {
        return { state: stateOf(answer, clock, options), stamp: answer.stamp }
      }
      queriedSlots = slots
      return new Requery(query())
    })
  })
}

/** Sums over all batches up to one. */
interface Sums {
  readonly batchNum: number
  readonly timestampMs: number
  readonly transactions: number
  readonly l2Transactions: number
  readonly feeUnits: bigint
  readonly l1UserTransactions: number
  readonly l1WaitMs: bigint
}

const sumsColumns = 7
const readSums = (head: ReadonlyArray<string>, at: number): Sums => ({
  batchNum: Number(head[at]),
  timestampMs: Number(head[at + 1]),
  transactions: Number(head[at + 2]),
  l2Transactions: Number(head[at + 3]),
  feeUnits: BigInt(head[at + 4]!),
  l1UserTransactions: Number(head[at + 5]),
  l1WaitMs: BigInt(head[at + 6]!)
})

const noBatches: BatchSums = {
  batches: 0,
  transactions: 0,
  l2Transactions: 0,
  firstTimestampMs: 0,
  lastTimestampMs: 0,
  feeUnits: 0n,
  l1UserTransactions: 0,
  l1WaitMs: 0n
}

/**
 * Returns the sums over a window. `first` has the number and time of its first batch, 0 if there is
 * none, and the sums over the batches before it.
 */
const sumsInWindow = (first: Sums, last: Sums): BatchSums =>
  first.batchNum === 0 ? noBatches : {
    batches: last.batchNum - first.batchNum + 1,
    transactions: last.transactions - first.transactions,
    l2Transactions: last.l2Transactions - first.l2Transactions,
    firstTimestampMs: first.timestampMs,
    lastTimestampMs: last.timestampMs,
    feeUnits: last.feeUnits - first.feeUnits,
    l1UserTransactions: last.l1UserTransactions - first.l1UserTransactions,
    l1WaitMs: last.l1WaitMs - first.l1WaitMs
  }

const stateOf = (
  answer: SqlAnswer,
  clock: AuctionClock,
  options: StateOptions
): NetworkState => {
  const { stamp } = answer
  const lines = [...answer.lines]
  const lastBatch = stamp.batchNum === null ? null : decodeBatch(lines.pop()!)
  const withdrawalDelayer = decodeParameterSet("withdrawalDelayer", lines.pop()!)
  const rollup = decodeParameterSet("rollup", lines.pop()!)
  const [hash, timestampMs, lastEthereumBlock, ...numbers] = answer.head
  const last = readSums(numbers, 0)
  const [totalAccounts, totalPublicKeys, pendingL1Transactions] = numbers.slice(sumsColumns)
  const [day, hour] = [
    readSums(numbers, sumsColumns + 3),
    readSums(numbers, 2 * sumsColumns + 3)
  ]
  const { slot } = readSlots(clock, lines)
  const boot = bootCoordinator(clock.variables)
  return {
    lastEthereumBlock: BigInt(lastEthereumBlock!),
    lastSynchedBlock: synchedBlockNum(stamp),
    lastBatch,
    currentSlot: clock.currentSlot,
    nextForgers: nextForgersOf(
      clock,
      {
        number: synchedBlockNum(stamp),
        hash: prefixedHex(hash!),
        timestampMs: Number(timestampMs)
      },
      (slotNum) => slot(slotNum).winner ?? boot
    ),
    pendingL1Transactions: Number(pendingL1Transactions),
    metrics: metricsOf(sumsInWindow(day, last), {
      ageMs: Number(timestampMs) - options.genesis.block.timestampMs,
      totalAccounts: Number(totalAccounts),
      totalPublicKeys: Number(totalPublicKeys)
    }),
    variables: { rollup, auction: clock.variables, withdrawalDelayer },
    recommendedFee: recommendedFeeOf(sumsInWindow(hour, last), options)
  }
}
