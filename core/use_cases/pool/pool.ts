import { Clock, Context, Effect, Layer } from "effect"
import type { PoolTransaction, PoolTransition, SkippedTransaction } from "../../domain/mod.ts"
import type { AccountIndex, Keccak256, TransactionId } from "../../encoding/mod.ts"
import {
  LedgerReader,
  type PoolChange,
  type Pooled,
  PoolStore,
  type StoreFailure
} from "../../ports/mod.ts"
import { changeIfUnsettled, type PoolPorts } from "./_optimistic_change.ts"
import { reconcileWithLedger } from "./_superseded.ts"
import { PoolCounts } from "./_pool_counts.ts"
import { change, changesToPending } from "./_settled_batch.ts"
import { purgePool, type PurgeOptions } from "./purge.ts"
import { selectFrom, type Selection, type SelectOptions } from "./select.ts"
import { type SettleOptions, settlePool } from "./settle.ts"

/**
 * The ids that a call changed. Ids whose transaction had changed state in between are not included.
 */
type Changing = Effect.Effect<ReadonlyArray<TransactionId>, StoreFailure>

/**
 * The pool for a coordinator (domain §4.3). Every call is atomic and compares before it writes: if
 * two calls want the same transaction, one of them gets it. A `Ledger` made by `pooledLedger` calls
 * `settle` itself.
 */
export class Pool extends Context.Service<Pool, {
  /** Selects what can be forged next: best fee first, nonces of an account in order. */
  readonly select: (options: SelectOptions) => Effect.Effect<Selection, StoreFailure>
  /** Moves transactions from pending to forging, for a batch that the ledger does not have yet. */
  readonly startForging: (ids: ReadonlyArray<TransactionId>, batchNum: number) => Changing
  /**
   * Moves transactions from forging to forged when the batch is sent. The ledger has the last word.
   */
  readonly doneForging: (ids: ReadonlyArray<TransactionId>, batchNum: number) => Changing
  /** Marks transactions as invalid that are pending or being forged. */
  readonly invalidate: (
    which: ReadonlyArray<{ readonly id: TransactionId; readonly reason: string }>,
    batchNum: number
  ) => Changing
  /**
   * Marks every pending transaction of an account as invalid if its nonce is below the given one.
   */
  readonly invalidateOldNonces: (
    nonces: ReadonlyArray<{ readonly index: AccountIndex; readonly nonce: bigint }>,
    batchNum: number
  ) => Changing
  /**
   * Returns to pending whatever depends on a batch after `last`; what the ledger holds keeps the
   * state that the ledger gives it.
   */
  readonly rollBack: (lastValidBatch: number) => Changing
  readonly purge: (options: PurgeOptions) => Changing
  /** Removes old pending, forged and invalid transactions. */
  readonly remove: (ids: ReadonlyArray<TransactionId>, reason: string) => Changing
  /** Settles the pool with the ledger. */
  readonly settle: Changing
  readonly transaction: (id: TransactionId) => Effect.Effect<PoolTransaction | null, StoreFailure>
  /** Returns every transition of a transaction, oldest first, also after it left the pool. */
  readonly transitions: (
    id: TransactionId
  ) => Effect.Effect<ReadonlyArray<PoolTransition>, StoreFailure>
  /** Returns why the last selection skipped a pending transaction; null if none did. */
  readonly skippedTransaction: (
    id: TransactionId
  ) => Effect.Effect<SkippedTransaction | null, StoreFailure>
}>()("rollup/core/Pool") {
  static readonly layer = (
    options: PoolOptions
  ): Layer.Layer<Pool, never, LedgerReader | PoolStore> =>
    Layer.effect(
      Pool,
      Effect.gen(function*() {
        const counts = new PoolCounts()
        yield* counts.measured
        return counted(
          make({ reader: yield* LedgerReader, pool: yield* PoolStore }, options),
          counts
        )
      })
    )
}

export interface PoolOptions extends Partial<SettleOptions> {
  readonly keccak256: Keccak256
}

const counted = (pool: Pool["Service"], counts: PoolCounts): Pool["Service"] => ({
  ...pool,
  select: (options) => counts.selected(pool.select(options)),
  startForging: (ids, batchNum) => counts.moved("startForging", pool.startForging(ids, batchNum)),
  doneForging: (ids, batchNum) => counts.moved("doneForging", pool.doneForging(ids, batchNum)),
  invalidate: (which, batchNum) => counts.moved("invalidate", pool.invalidate(which, batchNum)),
  invalidateOldNonces: (nonces, batchNum) =>
    counts.moved("invalidateOldNonces", pool.invalidateOldNonces(nonces, batchNum)),
  rollBack: (lastValidBatch) => counts.moved("rollBack", pool.rollBack(lastValidBatch)),
  purge: (options) => counts.moved("purge", pool.purge(options)),
  remove: (ids, reason) => counts.moved("remove", pool.remove(ids, reason)),
  settle: counts.moved("settle", pool.settle)
})

/** One hour, longer than any proof takes. */
export const forgingMaxMsDefault = 3_600_000

function make(
  ports: PoolPorts,
  { forgingMaxMs = forgingMaxMsDefault, keccak256 }: PoolOptions
): Pool["Service"] {
  const { pool, reader } = ports
  const lastBatchNum = Effect.map(reader.stamp, ({ batchNum }) => batchNum ?? 0)
  const changeAll = (changes: ReadonlyArray<PoolChange>): Changing =>
    Effect.flatMap(Clock.currentTimeMillis, (atMs) => pool.change(changes, atMs))
  const changeSome = Effect.fnUntraced(
    function*(ids: ReadonlyArray<TransactionId>, to: (row: Pooled) => PoolChange | undefined) {
      const rows = yield* pool.pooled(ids)
      return yield* changeAll(rows.flatMap((row) => to(row) ?? []))
    }
  )
  const settle = settlePool(ports, { forgingMaxMs })

  return {
    select: (options) => selectFrom(ports, keccak256, options),
    startForging: Effect.fnUntraced(function*(ids, batchNum) {
      // the ledger already has that batch without these transactions
      if (batchNum <= (yield* lastBatchNum)) return []
      return yield* changeSome(
        ids,
        (row) =>
          row.transaction.state === "pend"
            ? change(row, "fing", batchNum, `Selected for batch ${batchNum}`)
            : undefined
      )
    }),
    doneForging: Effect.fnUntraced(function*(ids, batchNum) {
      if (batchNum <= (yield* lastBatchNum)) return []
      return yield* changeSome(
        ids,
        (row) =>
          row.transaction.state === "fing" && row.transaction.batchNum === batchNum
            ? change(row, "fged", batchNum, `Batch ${batchNum} was sent`)
            : undefined
      )
    }),
    invalidate: Effect.fnUntraced(function*(which, batchNum) {
      const last = yield* lastBatchNum
      const reasons = new Map(which.map(({ id, reason }) => [id, reason]))
      return yield* changeSome([...reasons.keys()], (row) => {
        const { batchNum: of, id, state } = row.transaction
        return state === "pend" || state === "fing" || (state === "fged" && of! > last)
          ? change(row, "invl", batchNum, reasons.get(id)!)
          : undefined
      })
    }),
    invalidateOldNonces: Effect.fnUntraced(function*(nonces, batchNum) {
      const below = yield* pool.pendingBelow(nonces)
      return yield* changeAll(
        below.map((row) =>
          change(
            row,
            "invl",
            batchNum,
            `Nonce ${row.transaction.nonce} of account ${row.transaction.fromAccountIndex} is in the past`
          )
        )
      )
    }),
    rollBack: Effect.fnUntraced(function*(lastValidBatch) {
      const settled = yield* settle
      const reopened = yield* changeIfUnsettled(ports, (mark) => {
        const last = Math.max(lastValidBatch, mark?.batchNum ?? 0)
        return changesToPending(ports, last, `Batches after ${last} are not valid`)
      })
      // a batch that arrived in between may have been settled before this change
      yield* reconcileWithLedger(
        ports,
        ...(yield* pool.pooled(reopened)).map(({ transaction }) => transaction)
      )
      return [...new Set([...settled, ...reopened])]
    }),
    purge: (options) => purgePool(ports, options),
    remove: (ids, reason) =>
      changeSome(
        [...new Set(ids)],
        (row) =>
          row.transaction.state === "pend" || row.transaction.state === "invl"
            ? change(row, null, row.transaction.batchNum, `Removed: ${reason}`)
            : undefined
      ),
    settle,
    transaction: pool.transaction,
    transitions: pool.transitions,
    skippedTransaction: pool.skippedTransaction
  }
}
