import { Effect } from "effect"
import type { PoolStore } from "../../../core/ports/mod.ts"

/** The version of the pool in this process. */
export class PoolChanges {
  /** A number that changes with each change. */
  version = 0
  /** Called after each change. */
  onChange: () => void = () => {}

  /** Records a change, or that notifications of changes may have been lost. */
  changed(): void {
    this.version++
    this.onChange()
  }

  /**
   * Returns a store that records its writes here before it acknowledges them, even if a write
   * fails, since it may have been committed.
   */
  recordWrites(pool: PoolStore["Service"]): PoolStore["Service"] {
    const recorded = Effect.ensuring(Effect.sync(() => this.changed()))
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
}
