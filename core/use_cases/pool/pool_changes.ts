import { Effect, Clock } from "effect"
import type { FullBatch, PoolState, PoolTransaction, Transaction } from "../../domain/mod.ts"
import type { AccountIndex, TransactionId } from "../../encoding/mod.ts"
import type { PoolChange, Pooled, StoreFailure } from "../../ports/mod.ts"
import { forgedReason, isForgedAs } from "./_superseded.ts"
import { completeGroups, wholeGroups, withMembers } from "./_groups.ts"
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
    const changes = [
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
    return yield* completeGroups(
      { pool },
      changes,
      transactionsOf([...forgedRows, ...superseded, ...forging]),
      batchNum
    )
  }
)

/** Returns the changes that reset all transactions of batches after `lastBatchNum` to pending. */
export const changesToPending = Effect.fnUntraced(
  function*({ pool }: Pick<PoolPorts, "pool">, lastBatchNum: number, reason: string) {
    const rows: Array<Pooled> = []
    for (const state of ["fing", "fged", "invl"] as const) {
      rows.push(...yield* pool.inBatches({ state, from: lastBatchNum + 1, to: batchNumLimit }))
    }
    const changes = rows.map((row) => changeOf(row, "pend", null, reason))
    return yield* completeGroups({ pool }, changes, transactionsOf(rows), lastBatchNum)
  }
)

export const transactionsOf = (rows: ReadonlyArray<Pooled>): ReadonlyArray<PoolTransaction> =>
  rows.map(({ transaction }) => transaction)

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
    return transaction.state === "invl" ? [] : [
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
  const decided: Array<Pooled> = []
  for (const state of ["fged", "invl"] as const) {
    decided.push(...yield* pool.inBatches({ state, from: 0, to }))
  }
  const changes = wholeGroups(decided).map((row): PoolChange => {
    const { batchNum, state } = row.transaction
    return changeOf(
      row,
      null,
      batchNum,
      `Purged: ${
        state === "fged" ? "forged" : "invalid"
      } since batch ${batchNum}, ${safetyPeriodBatches} batches ago and more`
    )
  })
  const removed = new Set<TransactionId>()
  const removePending = Effect.fnUntraced(
    function*(rows: ReadonlyArray<Pooled>, reasonOf: (row: Pooled) => string) {
      for (const row of yield* withMembers({ pool }, rows)) {
        if (removed.has(row.transaction.id)) continue
        removed.add(row.transaction.id)
        changes.push(changeOf(row, null, row.transaction.batchNum, `Purged: ${reasonOf(row)}`))
      }
    }
  )
  yield* removePending(
    yield* pool.pendingExpired(to + 1),
    ({ transaction: { group, maxNumBatch } }) =>
      `batch ${maxNumBatch}, the last one that may forge it${
        group === undefined ? "" : " or another transaction of its group"
      }, is more than ${safetyPeriodBatches} batches ago`
  )
  yield* removePending(
    yield* pool.pendingSince({ beforeMs: atMs - ttlMs, limit: Number.MAX_SAFE_INTEGER }),
    () => `pending for more than ${ttlMs} ms`
  )
  const above = (yield* pool.counts).pend - removed.size - capacity
  if (above > 0) {
    const oldest = yield* pool.pendingSince({
      beforeMs: Number.MAX_SAFE_INTEGER,
      limit: removed.size + above
    })
    yield* removePending(
      oldest.filter(({ transaction }) => !removed.has(transaction.id)).slice(0, above),
      () => `the pool holds more than ${capacity} pending transactions`
    )
  }
  return yield* pool.change(changes, atMs)
})
