import { Context } from "effect"
import type { EthereumAddress, TransactionId } from "../encoding/mod.ts"

/**
 * Detects changes of the pool without a query. Null if the stores do not report changes. The
 * numbers are local to the process.
 */
export interface PoolTip {
  /**
   * Changes with each write of this process, before it is acknowledged, and with each notification
   * of a write by another process. Null while notifications may be lost.
   */
  readonly version: () => number | null
  /**
   * Changes if a stored transaction or authorization changes; it may also change with another one.
   * What is read after the call is current while the number stays the same. Null while nothing is
   * known.
   */
  readonly versionOf: (key: TransactionId | EthereumAddress) => number | null
}

export const PoolTip = Context.Reference<PoolTip | null>("rollup/core/PoolTip", {
  defaultValue: () => null
})
