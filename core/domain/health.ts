/** What a store says about itself. */
export interface StoreInfo {
  /** Name and version of the software that holds the data. */
  readonly version: string
  /** Name of the last applied migration; null if the store has none. */
  readonly lastMigration: string | null
}

/** Whether a store answers. */
export interface StoreHealth extends StoreInfo {
  readonly isUp: boolean
}

/** Whether the stores of a node answer. */
export interface NodeHealth {
  /** Milliseconds since 1970. */
  readonly timestampMs: number
  readonly ledger: StoreHealth
  readonly pool: StoreHealth
}

/**
 * Returns whether both stores answer.
 *
 * @example
 * ```ts
 * import { isHealthy } from "rollup-node-api"
 *
 * const store = { isUp: true, version: "memory", lastMigration: null }
 * const health = { timestampMs: Date.now(), ledger: store, pool: { ...store, isUp: false } }
 * console.log(isHealthy(health)) // => false
 * ```
 */
export const isHealthy = ({ ledger, pool }: NodeHealth): boolean => ledger.isUp && pool.isUp
