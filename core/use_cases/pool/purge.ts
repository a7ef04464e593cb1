import { Clock, Effect } from "effect"
import type { TransactionId } from "../../encoding/mod.ts"
import type { PoolChange, StoreFailure } from "../../ports/mod.ts"
import type { PoolPorts } from "./_optimistic_change.ts"
import { change } from "./_settled_batch.ts"

export interface PurgeOptions {
  /** How long a transaction may be pending, counted from when it became so the last time. */
  readonly ttlMs: number
  readonly currentBatch: number
  /** Batches that what is forged or invalid is kept for: the deepest rollback that brings it back. */
  readonly safetyPeriodBatches: number
  /** Pending transactions that are left; the oldest go first. */
  readonly capacity: number
}

/** Takes out what is over, with the reason for each. Nothing that waits for its batch is touched. */
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
        change(
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
    ...old.map((row) => change(row, null, null, `Purged: pending for more than ${ttlMs} ms`))
  )
  const above = (yield* pool.counts).pend - old.length - capacity
  if (above > 0) {
    const oldest = yield* pool.pendingSince({
      beforeMs: Number.MAX_SAFE_INTEGER,
      limit: old.length + above
    })
    changes.push(
      ...oldest.slice(old.length).map((row) =>
        change(row, null, null, `Purged: the pool holds more than ${capacity} pending transactions`)
      )
    )
  }
  return yield* pool.change(changes, atMs)
})
