import { Schema } from "effect"
import { digits78Text, objectNamed, uint64Text as uint64 } from "./values.ts"

/** The schema of a bucket that limits instant withdrawals up to a value. */
export const BucketFeed = Schema.Struct({
  ceilUSD: digits78Text,
  /** Block of the last change of `withdrawals`. */
  blockStamp: uint64,
  /** Withdrawals that were left after the last change; see `withdrawalsLeft`. */
  withdrawals: uint64,
  /** Blocks after which `rateWithdrawals` more withdrawals are allowed. */
  blockWithdrawalRate: uint64,
  /** 1 if absent. */
  rateWithdrawals: Schema.optionalKey(uint64),
  maxWithdrawals: uint64
}).annotate(
  objectNamed(
    "BucketFeed",
    "A bucket that limits instant withdrawals: after each blockWithdrawalRate blocks, rateWithdrawals more are allowed, by default 1"
  )
)
export type Bucket = typeof BucketFeed.Type

/**
 * Returns how many instant withdrawals a bucket allows at a block (PROTOCOL.md "Buckets"): those left
 * after its last change and `rateWithdrawals` more for each `blockWithdrawalRate` blocks since then, at
 * most `maxWithdrawals`. A rate of 0 blocks adds none, and neither does a change in a later block.
 *
 * @example
 * ```ts
 * import { withdrawalsLeft } from "rollup-node-api"
 *
 * const limits = { ceilUSD: 1000n, maxWithdrawals: 8n }
 * const rate = { blockWithdrawalRate: 10n, rateWithdrawals: 2n }
 * const bucket = { ...limits, ...rate, blockStamp: 100n, withdrawals: 1n }
 * console.log(withdrawalsLeft(bucket, 109n), withdrawalsLeft(bucket, 120n)) // => 1n 5n
 * console.log(withdrawalsLeft(bucket, 900n)) // => 8n
 * ```
 */
export function withdrawalsLeft(bucket: Bucket, blockNum: bigint): bigint {
  const { blockStamp, blockWithdrawalRate, maxWithdrawals, rateWithdrawals = 1n } = bucket
  const isRefilled = blockNum > blockStamp && blockWithdrawalRate > 0n
  const periods = isRefilled ? (blockNum - blockStamp) / blockWithdrawalRate : 0n
  const left = bucket.withdrawals + periods * rateWithdrawals
  return left < maxWithdrawals ? left : maxWithdrawals
}
