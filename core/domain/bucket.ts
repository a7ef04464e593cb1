/** A bucket that limits instant withdrawals up to a value. */
export interface Bucket {
  readonly ceilUSD: bigint
  /** Block of the last change of `withdrawals`. */
  readonly blockStamp: bigint
  /** Withdrawals that were left after the last change; see `withdrawalsLeft`. */
  readonly withdrawals: bigint
  /** Blocks after which `rateWithdrawals` more withdrawals are allowed. */
  readonly blockWithdrawalRate: bigint
  /** 1 if absent. */
  readonly rateWithdrawals?: bigint
  readonly maxWithdrawals: bigint
}

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
