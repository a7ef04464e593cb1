import { Context } from "effect"
import type { EthereumAddress, TransactionId } from "../encoding/mod.ts"

/**
 * Port: detects changes of the pool without a query. Null, the default, if the store does not
 * report changes. The numbers are local to the process.
 */
export interface PoolTip {
  /**
   * Returns a number that changes with each write of this process, before the write is
   * acknowledged, and with each notification of a write by another process. Returns null while
   * notifications may be lost.
   */
  readonly version: () => number | null
  /**
   * Returns a number that changes if the transaction or authorization changes; a change of another
   * one may also change it. An answer that is read after this call is current while the number
   * stays the same. Returns null while notifications may be lost.
   */
  readonly versionOf: (key: TransactionId | EthereumAddress) => number | null
}

/** The `PoolTip` of the stores of a node. */
export const PoolTip = Context.Reference<PoolTip | null>("rollup/core/PoolTip", {
  defaultValue: () => null
})
