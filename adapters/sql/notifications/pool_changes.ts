import { Effect, SubscriptionRef } from "effect"
import type { PoolStore } from "../../../core/ports/mod.ts"

/** Records a change of the pool. `version` is a number that changes with each change. */
export const recordPoolChange = (
  version: SubscriptionRef.SubscriptionRef<number>
): Effect.Effect<void> => SubscriptionRef.update(version, (number) => number + 1)

/**
 * Returns a store that records its writes before it acknowledges them, even if a write fails, since
 * it may have been committed.
 */
export const recordWrites = (
  pool: PoolStore["Service"],
  version: SubscriptionRef.SubscriptionRef<number>
): PoolStore["Service"] => {
  const recorded = Effect.ensuring(recordPoolChange(version))
  return {
    ...pool,
    addTransaction: (...args) => recorded(pool.addTransaction(...args)),
    addGroup: (...args) => recorded(pool.addGroup(...args)),
    replaceTransaction: (...args) => recorded(pool.replaceTransaction(...args)),
    addAuthorization: (...args) => recorded(pool.addAuthorization(...args)),
    change: (...args) => recorded(pool.change(...args)),
    reconcile: (...args) => recorded(pool.reconcile(...args)),
    skip: (...args) => recorded(pool.skip(...args))
  }
}
