import { Clock, Effect } from "effect"
import type { TransactionId } from "../../encoding/mod.ts"
import type { Pooled, StoreFailure } from "../../ports/mod.ts"
import { wholeGroups, withMembers } from "./_groups.ts"
import { changeOf, inBatches, type PoolPorts } from "./_optimistic_change.ts"

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
  const last = (yield* reader.snapshotId).batchNum ?? 0
  const to = Math.min(currentBatch, last) - safetyPeriodBatches - 1
  const decided = yield* inBatches({ pool }, ["fged", "invl"], 0, to)
  const changes = wholeGroups(decided).map((row) => {
    const { batchNum, state } = row.transaction
    const since = `${state === "fged" ? "forged" : "invalid"} since batch ${batchNum}`
    const reason = `Purged: ${since}, ${safetyPeriodBatches} batches ago and more`
    return changeOf(row, null, batchNum, reason)
  })
  const removed = new Set<TransactionId>()
  const removePending = Effect.fnUntraced(
    function*(rows: ReadonlyArray<Pooled>, reason: string) {
      for (const row of yield* withMembers({ pool }, rows)) {
        if (removed.has(row.transaction.id)) continue
        removed.add(row.transaction.id)
        changes.push(changeOf(row, null, row.transaction.batchNum, `Purged: ${reason}`))
      }
    }
  )
  yield* removePending(
    yield* pool.pendingSince({ beforeMs: atMs - ttlMs, limit: Number.MAX_SAFE_INTEGER }),
    `pending for more than ${ttlMs} ms`
  )
  const above = (yield* pool.counts).pend - removed.size - capacity
  if (above > 0) {
    const oldest = yield* pool.pendingSince({
      beforeMs: Number.MAX_SAFE_INTEGER,
      limit: removed.size + above
    })
    yield* removePending(
      oldest.filter(({ transaction }) => !removed.has(transaction.id)).slice(0, above),
      `the pool holds more than ${capacity} pending transactions`
    )
  }
  return yield* pool.change(changes, atMs)
})
