import { Clock, Effect } from "effect"
import type { TransactionId } from "../../encoding/mod.ts"
import type { PoolChange, StoreFailure } from "../../ports/mod.ts"
import type { PoolPorts } from "./_optimistic_change.ts"
import { changeOf } from "./_settled_batch.ts"

/** The bounds of `Pool.purge`. */
export interface PurgeOptions {
  /** Maximum time in the pending state, counted from the last transition to it. */
  readonly ttlMs: number
  readonly currentBatch: number
  /**
   * Number of batches for which forged and invalid transactions are retained: the deepest rollback
   * that can restore them.
   */
  readonly safetyPeriodBatches: number
  /** Maximum number of pending transactions; the oldest ones are removed first. */
  readonly capacity: number
}

/**
 * Removes old transactions and those beyond the capacity. It never removes a transaction in the
 * state forging. Returns the removed ids.
 */
export const purgePool = Effect.fnUntraced(function*(
  { pool, reader }: PoolPorts,
  { capacity, currentBatch, safetyPeriodBatches, ttlMs }: PurgeOptions
): Effect.fn.Return<ReadonlyArray<TransactionId>, StoreFailure> {
  const atMs = yield* Clock.currentTimeMillis
  const last = (yield* reader.stamp).batchNum ?? 0
  const to = Math.min(currentBatch, last) - safetyPeriodBatches - 1
  const changes: Array<PoolChange> = []
  for (const state of ["fged", "invl"] as const) {
    for (const row of yield* pool.inBatches({ state, from: 0, to })) {
      const { batchNum } = row.transaction
      changes.push(
        changeOf(
          row,
          null,
          batchNum,
          `Purged: ${
            state === "fged" ? "forged" : "invalid"
          } since batch ${batchNum}, ${safetyPeriodBatches} batches ago and more`
        )
      )
    }
  }
  const old = yield* pool.pendingSince({ beforeMs: atMs - ttlMs, limit: Number.MAX_SAFE_INTEGER })
  changes.push(
    ...old.map((row) => changeOf(row, null, null, `Purged: pending for more than ${ttlMs} ms`))
  )
  const above = (yield* pool.counts).pend - old.length - capacity
  if (above > 0) {
    const oldest = yield* pool.pendingSince({
      beforeMs: Number.MAX_SAFE_INTEGER,
      limit: old.length + above
    })
    changes.push(
      ...oldest.slice(old.length).map((row) =>
        changeOf(
          row,
          null,
          null,
          `Purged: the pool holds more than ${capacity} pending transactions`
        )
      )
    )
  }
  return yield* pool.change(changes, atMs)
})
