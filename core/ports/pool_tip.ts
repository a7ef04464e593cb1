import { Context } from "effect"
import type { EthereumAddress, TransactionId } from "../encoding/mod.ts"

/**
 * What a process knows, without asking the store, of whether something in the pool is still as it was; null where its stores do not
 * tell. Its numbers mean nothing outside of the process.
 */
export interface PoolTip {
  /** Another number with each write of this process, before it is acknowledged, and with word of others' changes. Null while that might not come. */
  readonly version: () => number | null
  /**
   * Another number when a transaction or an authorization has changed after it was there, and by chance when another one has. What is
   * read after a number was asked for is current for as long as the number stays. Null while nothing is known.
   */
  readonly versionOf: (key: TransactionId | EthereumAddress) => number | null
}

export const PoolTip = Context.Reference<PoolTip | null>("rollup/core/PoolTip", {
  defaultValue: () => null
})
