import { type Coordinator, type AuctionClock, firstBlockOfSlot, lastClosedSlot } from "./slot.ts"
import type { EthereumBlock } from "./changes.ts"
import type { Metrics, NextForger, RecommendedFee } from "./state.ts"
import { estimateMsMax } from "./values.ts"

/*
 * Sums of fees over all batches are stored, and their differences give the sums of a window. With
 * doubles, one huge fee would make the small ones after it disappear, so the sums are integers in
 * units of 2^-80 US dollars: every fee of 4e-9 or more is exact.
 */

const unitsPerUSD = 2 ** 80
const wholeMin = 2 ** 53

/**
 * Returns US dollars in units of 2^-80; a fee below 4e-9 is rounded to the nearest unit.
 *
 * @example
 * ```ts
 * import { feeSumUnits, usdOfFeeSum } from "rollup-node-api"
 *
 * const sum = feeSumUnits(1e15) + feeSumUnits(0.001)
 * console.log(usdOfFeeSum(sum - feeSumUnits(1e15))) // => 0.001
 * ```
 */
export const feeSumUnits = (feeUSD: number): bigint =>
  feeUSD < wholeMin ? BigInt(Math.round(feeUSD * unitsPerUSD)) : BigInt(feeUSD) << 80n

/**
 * Returns a sum of units as US dollars, rounded to the nearest double. A sum above 2^53 dollars is
 * truncated to whole dollars first.
 *
 * @example
 * ```ts
 * import { usdOfFeeSum } from "rollup-node-api"
 *
 * console.log(usdOfFeeSum(3n << 79n)) // => 1.5
 * ```
 */
export const usdOfFeeSum = (units: bigint): number => {
  const whole = units >> 80n
  return whole < wholeMin ? Number(units) / unitsPerUSD : Number(whole)
}

/** Sums over consecutive batches of one time window. */
export interface BatchSums {
  readonly batches: number
  readonly transactions: number
  readonly l2Transactions: number
  /** Times of the first and last batch; equal if there is at most one batch. */
  readonly firstTimestampMs: number
  readonly lastTimestampMs: number
  readonly feesUSD: number
  readonly l1UserTransactions: number
  /** Sum of the times from the block that queued an L1 user transaction to its batch. */
  readonly l1WaitMs: bigint
}

/** Duration of the window of the metrics, which ends at the last block: 24 hours, in milliseconds. */
export const metricsWindowMs = 24 * 60 * 60 * 1000
/**
 * Duration of the window of the recommended fee, which ends at the last block: one hour, in
 * milliseconds.
 */
export const feeWindowMs = 60 * 60 * 1000
/** Estimated time between two blocks. */
const blockTimeMs = 15_000

/**
 * Returns the metrics by the corrected formulas of domain §3.13. All averages are 0 if the window
 * has no batch.
 *
 * @example
 * ```ts
 * import { metricsOf } from "rollup-node-api"
 *
 * const window = { batches: 4, transactions: 100, l2Transactions: 80, feesUSD: 20 }
 * const times = { firstTimestampMs: 0, lastTimestampMs: 200_000 }
 * const queued = { l1UserTransactions: 20, l1WaitMs: 1_200_000n }
 * const totals = { totalAccounts: 12, totalPublicKeys: 5 }
 * const metrics = metricsOf({ ...window, ...times, ...queued }, totals)
 * console.log(metrics.batchFrequency, metrics.transactionsPerSecond) // => 50 0.5
 * console.log(metrics.avgTransactionFee, metrics.estimatedTimeToForgeL1) // => 0.25 60
 * ```
 */
export const metricsOf = (
  sums: BatchSums,
  totals: Pick<Metrics, "totalAccounts" | "totalPublicKeys">
): Metrics => {
  const seconds = Math.max(1, (sums.lastTimestampMs - sums.firstTimestampMs) / 1000)
  return {
    transactionsPerBatch: sums.batches > 1 ? sums.transactions / sums.batches : 0,
    batchFrequency: sums.batches > 0 ? seconds / sums.batches : 0,
    transactionsPerSecond: sums.batches > 0 ? sums.transactions / seconds : 0,
    avgTransactionFee: sums.l2Transactions > 0 ? sums.feesUSD / sums.l2Transactions : 0,
    estimatedTimeToForgeL1: sums.l1UserTransactions > 0
      ? Number(sums.l1WaitMs) / 1000 / sums.l1UserTransactions
      : 0,
    totalAccounts: totals.totalAccounts,
    totalPublicKeys: totals.totalPublicKeys
  }
}

/**
 * Returns the recommended fees of domain §3.14 from the average fee of the last hour, within
 * bounds.
 *
 * Unlike the original node it includes the fees of the first batch: without them the average is too
 * low, and 0 if the hour has only one batch.
 *
 * @example
 * ```ts
 * import { recommendedFeeOf } from "rollup-node-api"
 *
 * const hour = { transactions: 10, feesUSD: 20 }
 * const { createAccount, existingAccount } = recommendedFeeOf(hour, { minFeeUSD: 0, maxFeeUSD: 4 })
 * console.log(existingAccount, createAccount) // => 2 4
 * ```
 */
export const recommendedFeeOf = (
  hour: Pick<BatchSums, "transactions" | "feesUSD">,
  bounds: { readonly minFeeUSD: number; readonly maxFeeUSD: number }
): RecommendedFee => {
  const average = hour.transactions > 0 ? hour.feesUSD / hour.transactions : 0
  const clamp = (feeUSD: number) => Math.min(bounds.maxFeeUSD, Math.max(bounds.minFeeUSD, feeUSD))
  return {
    existingAccount: clamp(average),
    createAccount: clamp(2.5 * average),
    createAccountInternal: clamp(2 * average)
  }
}

/** The greatest number of slots in `nextForgers`. */
const forgersMax = 1025

/**
 * Returns the last slot in `nextForgers`: the last one with a closed auction, or the 1,025th slot
 * from the current one on if that is lower.
 *
 * @example
 * ```ts
 * import { auctionClock, genesisVariables, lastForgerSlot } from "rollup-node-api"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const auction = { ...genesisVariables(genesis).auction, closedAuctionSlots: 65535 }
 * console.log(lastForgerSlot(auctionClock(genesis.constants.auction, auction, 0n))) // => 1024
 * ```
 */
export const lastForgerSlot = (clock: AuctionClock): number =>
  Math.min(lastClosedSlot(clock), clock.currentSlot + forgersMax - 1)

/**
 * Returns the forgers of the current slot and of the slots with a closed auction, at
 * most those of the first 1,025 slots. Times are estimates up to the end of the year 9999.
 *
 * @example
 * ```ts
 * import { auctionClock, bootCoordinator, genesisVariables, nextForgersOf } from "rollup-node-api"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, genesis: { block, constants } } = simulate({ seed: 1 })
 * const auction = { ...genesisVariables(genesis).auction, closedAuctionSlots: 2 }
 * const clock = auctionClock(constants.auction, auction, block.number)
 * const forgers = nextForgersOf(clock, block, () => bootCoordinator(auction))
 * console.log(...forgers.map(({ period }) => period.slotNum)) // => 0 1 2
 * ```
 */
export const nextForgersOf = (
  clock: AuctionClock,
  lastBlock: EthereumBlock,
  forgerOf: (slotNum: number) => Coordinator
): ReadonlyArray<NextForger> => {
  const timeOf = (block: bigint) =>
    Math.min(estimateMsMax, lastBlock.timestampMs + blockTimeMs * Number(block - lastBlock.number))
  const forgers: Array<NextForger> = []
  for (let slotNum = clock.currentSlot; slotNum <= lastForgerSlot(clock); slotNum++) {
    const fromBlock = firstBlockOfSlot(clock.constants, slotNum)
    const toBlock = fromBlock + BigInt(clock.constants.blocksPerSlot) - 1n
    forgers.push({
      coordinator: forgerOf(slotNum),
      period: {
        slotNum,
        fromBlock,
        toBlock,
        fromTimestampMs: timeOf(fromBlock),
        toTimestampMs: timeOf(toBlock)
      }
    })
  }
  return forgers
}
