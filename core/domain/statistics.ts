import { type Coordinator, type AuctionClock, firstBlockOfSlot, lastClosedSlot } from "./slot.ts"
import type { EthereumBlock } from "./changes.ts"
import type { Metrics, NextForger, RecommendedFee } from "./state.ts"
import { nearestDouble } from "./_nearest_double.ts"
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
 * import { feeSumUnits } from "rollup-node-api"
 *
 * const sum = feeSumUnits(1e15) + feeSumUnits(0.001)
 * console.log(sum - feeSumUnits(1e15) === feeSumUnits(0.001)) // => true
 * ```
 */
export const feeSumUnits = (feeUSD: number): bigint =>
  feeUSD < wholeMin ? BigInt(Math.round(feeUSD * unitsPerUSD)) : BigInt(feeUSD) << 80n

/** Returns a part of a sum of fees: the US dollars nearest to the quotient, 0 if the divisor is 0. */
const feeSumShare = (units: bigint, divisor: number): number =>
  divisor === 0 ? 0 : nearestDouble(units, BigInt(divisor), -80)

/** Sums over consecutive batches of one time window. */
export interface BatchSums {
  readonly batches: number
  readonly transactions: number
  readonly l2Transactions: number
  /** Times of the first and last batch; equal if there is at most one batch. */
  readonly firstTimestampMs: number
  readonly lastTimestampMs: number
  /** Sum of `feeSumUnits`. */
  readonly feeUnits: bigint
  readonly l1UserTransactions: number
  /** Sum of the times from the block that queued an L1 user transaction to its batch. */
  readonly l1WaitMs: bigint
}

/**
 * Greatest duration of the window of the metrics, which ends at the last block: 24 hours, in
 * milliseconds. The window of a younger network begins with its genesis block.
 */
export const metricsWindowMs = 24 * 60 * 60 * 1000
/**
 * Duration of the window of the recommended fee, which ends at the last block: one hour, in
 * milliseconds.
 */
export const feeWindowMs = 60 * 60 * 1000
/** Estimated time between two blocks. */
const blockTimeMs = 15_000

/**
 * Returns the metrics of the window from the sums over its batches. A value that they do not give is
 * 0: rates in a window without duration, the frequency of fewer than two batches, and averages of
 * nothing (PROTOCOL.md "Metrics"). Each value is the double nearest to the exact quotient.
 *
 * @example
 * ```ts
 * import { feeSumUnits, metricsOf } from "rollup-node-api"
 *
 * const window = { batches: 4, transactions: 100, l2Transactions: 80, feeUnits: feeSumUnits(20) }
 * const times = { firstTimestampMs: 50_000, lastTimestampMs: 200_000 }
 * const queued = { l1UserTransactions: 20, l1WaitMs: 1_200_000n }
 * const network = { ageMs: 200_000, totalAccounts: 12, totalPublicKeys: 5 }
 * const metrics = metricsOf({ ...window, ...times, ...queued }, network)
 * console.log(metrics.transactionsPerBatch, metrics.transactionsPerSecond) // => 25 0.5
 * console.log(metrics.batchFrequency) // => 50
 * console.log(metrics.avgTransactionFee, metrics.estimatedTimeToForgeL1) // => 0.25 60
 * ```
 */
export const metricsOf = (
  sums: BatchSums,
  { ageMs, totalAccounts, totalPublicKeys }: Pick<Metrics, "totalAccounts" | "totalPublicKeys"> & {
    /** Milliseconds from the genesis block to the last block. */
    readonly ageMs: number
  }
): Metrics => {
  const windowMs = Math.min(metricsWindowMs, ageMs)
  const { batches, l1UserTransactions, transactions } = sums
  const spanMs = sums.lastTimestampMs - sums.firstTimestampMs
  return {
    transactionsPerBatch: batches > 0 ? transactions / batches : 0,
    batchFrequency: batches > 1 ? spanMs / (1000 * (batches - 1)) : 0,
    transactionsPerSecond: windowMs > 0 ? 1000 * transactions / windowMs : 0,
    avgTransactionFee: feeSumShare(sums.feeUnits, sums.l2Transactions),
    estimatedTimeToForgeL1: l1UserTransactions > 0
      ? nearestDouble(sums.l1WaitMs, 1000n * BigInt(l1UserTransactions), 0)
      : 0,
    totalAccounts,
    totalPublicKeys
  }
}

/** Options of the recommended fee, US dollars. */
export interface RecommendedFeeOptions {
  /** Least recommended fee; 0 by default. */
  readonly minFeeUSD?: number
  /** Greatest recommended fee; unlimited by default. */
  readonly maxFeeUSD?: number
  /**
   * Takes the place of the average fee if the last hour has no fee; 0.01 by default. It refuses no
   * transaction.
   */
  readonly recommendedFeeUSD?: number
}

/**
 * Returns the recommended fees from the average fee of the L2 transactions of the last hour, or from
 * `recommendedFeeUSD` if they paid none: once for a transfer to an existing account, two and a half
 * times for a new account, twice for a new account of a key. Each is limited to the bounds.
 *
 * Unlike the original node it includes the fees of the first batch, and divides by L2 transactions
 * alone: L1 transactions pay no fee.
 *
 * @example
 * ```ts
 * import { feeSumUnits, recommendedFeeOf } from "rollup-node-api"
 *
 * const hour = { l2Transactions: 10, feeUnits: feeSumUnits(20) }
 * const { createAccount, existingAccount } = recommendedFeeOf(hour, { maxFeeUSD: 4 })
 * console.log(existingAccount, createAccount) // => 2 4
 *
 * const quiet = recommendedFeeOf({ l2Transactions: 10, feeUnits: 0n }, {})
 * console.log(quiet.existingAccount, quiet.createAccount) // => 0.01 0.025
 * ```
 */
export const recommendedFeeOf = (
  { feeUnits, l2Transactions }: Pick<BatchSums, "l2Transactions" | "feeUnits">,
  { maxFeeUSD = Infinity, minFeeUSD = 0, recommendedFeeUSD = 0.01 }: RecommendedFeeOptions
): RecommendedFee => {
  /** Returns half of the average fee, `count` times and within the bounds. */
  const halfFees = (count: number): number => {
    const ofAverage = feeSumShare(BigInt(count) * feeUnits, 2 * l2Transactions)
    const feeUSD = ofAverage > 0 ? ofAverage : count / 2 * recommendedFeeUSD
    return Math.min(maxFeeUSD, Math.max(minFeeUSD, feeUSD))
  }
  return {
    existingAccount: halfFees(2),
    createAccount: halfFees(5),
    createAccountInternal: halfFees(4)
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
 * most those of the first 1,025 slots. Times are estimates from 1970 to the end of the year 9999.
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
  const timeOf = (block: bigint) => {
    const estimateMs = lastBlock.timestampMs + blockTimeMs * Number(block - lastBlock.number)
    return Math.min(estimateMsMax, Math.max(0, estimateMs))
  }
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
