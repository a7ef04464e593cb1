import { Effect, Clock } from "effect"
import type { FullBatch, PoolState, Transaction } from "../../domain/mod.ts"
import type { AccountIndex, TransactionId } from "../../encoding/mod.ts"
import type { PoolChange, Pooled, StoreFailure } from "../../ports/mod.ts"
import { forgedReason, isForgedAs } from "./_superseded.ts"
import { batchNumLimit, type PoolPorts } from "./_optimistic_change.ts"

/** Returns the changes of the pool after a batch of the ledger, forged by this or another node. */
export const changesOfBatch = Effect.fnUntraced(
  function*({ pool }: Pick<PoolPorts, "pool">, { batch: { batchNum }, transactions }: FullBatch) {
    const forged = new Map<TransactionId, Transaction>()
    const nonces = new Map<AccountIndex, bigint>()
    for (const { transaction } of transactions) {
      if (transaction.l2 === null) continue
      forged.set(transaction.id, transaction)
      // the nonces of an account ascend within a batch, so the last one is the greatest
      nonces.set(transaction.fromAccountIndex!, transaction.l2.nonce + 1n)
    }
    const forgedRows = yield* pool.pooled([...forged.keys()])
    const superseded = yield* pool.pendingBelow(
      [...nonces].map(([index, nonce]) => ({ index, nonce }))
    )
    const forging = [
      ...yield* pool.inBatches({ state: "fing", from: batchNum, to: batchNumLimit }),
      ...yield* pool.inBatches({ state: "fged", from: batchNum, to: batchNumLimit })
    ]
    const isSuperseded = ({ transaction: { fromAccountIndex, nonce } }: Pooled): boolean =>
      nonce < (nonces.get(fromAccountIndex) ?? 0n)
    const unforged = (rows: ReadonlyArray<Pooled>) =>
      rows.filter(({ transaction }) => !forged.has(transaction.id))
    return [
      ...forgedRows.flatMap((row) => forgedChange(row, forged.get(row.transaction.id)!, batchNum)),
      ...unforged([...superseded, ...forging.filter(isSuperseded)]).map((row) =>
        changeOf(
          row,
          "invl",
          batchNum,
          `Nonce ${row.transaction.nonce} of account ${row.transaction.fromAccountIndex} was used by another transaction in batch ${batchNum}`
        )
      ),
      ...unforged(forging).filter((row) =>
        row.transaction.batchNum === batchNum && !isSuperseded(row)
      )
        .map((row) => changeOf(row, "pend", null, leftOutReason(batchNum)))
    ]
  }
)

/** Returns the changes that reset all transactions of batches after `lastBatchNum` to pending. */
export const changesToPending = Effect.fnUntraced(
  function*({ pool }: Pick<PoolPorts, "pool">, lastBatchNum: number, reason: string) {
    const changes: Array<PoolChange> = []
    for (const state of ["fing", "fged", "invl"] as const) {
      const rows = yield* pool.inBatches({ state, from: lastBatchNum + 1, to: batchNumLimit })
      changes.push(...rows.map((row) => changeOf(row, "pend", null, reason)))
    }
    return changes
  }
)

/** Returns a change that applies only if the transaction still has the state that was read. */
export const changeOf = (
  { transaction: { batchNum: fromBatchNum, id, state: from } }: Pooled,
  to: PoolState | null,
  batchNum: number | null,
  reason: string
): PoolChange => ({ id, from, fromBatchNum, to, batchNum, reason })

export const leftOutReason = (batchNum: number): string => `Batch ${batchNum} was forged without it`

function forgedChange(
  row: Pooled,
  forged: Transaction,
  batchNum: number
): ReadonlyArray<PoolChange> {
  const { transaction } = row
  if (!isForgedAs(transaction, forged)) {
    return [
      changeOf(
        row,
        "invl",
        batchNum,
        `A transaction with the same id and another destination was forged in batch ${batchNum}`
      )
    ]
  }
  return transaction.state === "fged" && transaction.batchNum === batchNum
    ? []
    : [changeOf(row, "fged", batchNum, forgedReason(batchNum))]
}

/** The bounds of `Pool.purge`. */
export interface PurgeOptions {
  /** Maximum time in the pending state, counted from the last transition to it. */
  readonly ttlMs: number
  readonly currentBatch: number
  /**
   * Number of batches for which forged, invalid and expired transactions are retained: the deepest
   * rollback that can restore them.
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
  const expired = yield* pool.pendingExpired(to + 1)
  changes.push(
    ...expired.map((row) =>
      changeOf(
        row,
        null,
        null,
        `Purged: batch ${row.transaction.maxNumBatch}, the last one that may forge it, is more than ${safetyPeriodBatches} batches ago`
      )
    )
  )
  const isExpired = new Set(expired.map(({ transaction }) => transaction.id))
  const old = (yield* pool.pendingSince({
    beforeMs: atMs - ttlMs,
    limit: Number.MAX_SAFE_INTEGER
  })).filter(({ transaction }) => !isExpired.has(transaction.id))
  changes.push(
    ...old.map((row) => changeOf(row, null, null, `Purged: pending for more than ${ttlMs} ms`))
  )
  const removed = expired.length + old.length
  const above = (yield* pool.counts).pend - removed - capacity
  if (above > 0) {
    const oldest = yield* pool.pendingSince({
      beforeMs: Number.MAX_SAFE_INTEGER,
      limit: removed + above
    })
    const isRemoved = new Set(changes.map(({ id }) => id))
    changes.push(
      ...oldest.filter(({ transaction }) => !isRemoved.has(transaction.id)).slice(0, above).map(
        (row) =>
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
