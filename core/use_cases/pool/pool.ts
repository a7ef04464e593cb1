import { Clock, Context, Effect, Layer, Struct } from "effect"
import {
  isExpired,
  type PoolTransaction,
  type PoolTransition,
  type SkippedTransaction,
  skipCodes
} from "../../domain/mod.ts"
import type { AccountIndex, Keccak256, TransactionId } from "../../encoding/mod.ts"
import {
  LedgerReader,
  type PoolChange,
  type Pooled,
  PoolStore,
  type StoreFailure,
  measure
} from "../../ports/mod.ts"
import { EventCounts } from "../_event_counts.ts"
import { wholeGroups, withMembers } from "./_groups.ts"
import { changeOf, changeUnlessReconciled, type PoolPorts } from "./_optimistic_change.ts"
import { changesToPending } from "./_pool_changes.ts"
import { purgePool, type PurgeOptions } from "./purge.ts"
import { selectFrom, type Selection, type SelectOptions } from "./selection/mod.ts"
import { reconcileWithLedger, type ReconcileOptions, reconcilePool } from "./reconcile.ts"

/** Returns the changed ids, without transactions that another call changed in between. */
type ChangeEffect = Effect.Effect<ReadonlyArray<TransactionId>, StoreFailure>

/**
 * The pool for a coordinator. Each call compares the stored state before it writes:
 * if two calls change the same transaction, only one of them succeeds. The transactions of a group
 * are selected, start and end forging, become invalid and leave the pool together: a call with some
 * of them concerns all, or, if it moves them to forging or forged, none. The ledger of `pooledLedger`
 * calls `reconcile` after each block and rollback.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Pool } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const stores = Layer.merge(Memory.layer(genesis), Memory.poolLayer)
 * const selecting = Effect.flatMap(Pool, (pool) => pool.select({ maxTransactions: 10 }))
 * const provided = Effect.provide(selecting, Layer.provide(Pool.layer({ keccak256 }), stores))
 * const { batchNum, transactions } = await Effect.runPromise(provided)
 * console.log(batchNum, transactions) // => 1 []
 * ```
 */
export class Pool extends Context.Service<Pool, {
  /** Selects transactions for the next batch: greatest fee first, nonces of an account in order. */
  readonly select: (options: SelectOptions) => Effect.Effect<Selection, StoreFailure>
  /**
   * Moves pending transactions to forging, except those that this batch may not forge any more, and
   * those that were replaced under the same id since they were selected: the signature tells. An id
   * alone stands for the transaction of the last selection of this process for the batch, or, if that
   * did not select it, for the one that has the id. Changes nothing if the ledger already has the
   * batch.
   */
  readonly startForging: (
    selected: ReadonlyArray<TransactionId | SelectedContent>,
    batchNum: number
  ) => ChangeEffect
  /**
   * Moves transactions from forging to forged, after the coordinator has sent the batch. The next
   * reconciliation corrects the state if the ledger differs.
   */
  readonly doneForging: (ids: ReadonlyArray<TransactionId>, batchNum: number) => ChangeEffect
  /**
   * Marks transactions as invalid that are pending or forging, or forged in a batch that the ledger
   * does not have.
   */
  readonly invalidate: (
    which: ReadonlyArray<{ readonly id: TransactionId; readonly reason: string }>,
    batchNum: number
  ) => ChangeEffect
  /** Marks every pending transaction of an account as invalid if its nonce is below `nonce`. */
  readonly invalidateOldNonces: (
    nonces: ReadonlyArray<{ readonly index: AccountIndex; readonly nonce: bigint }>,
    batchNum: number
  ) => ChangeEffect
  /**
   * Resets transactions of batches after `lastValidBatch` to pending, except for batches that the
   * ledger has.
   */
  readonly rollBack: (lastValidBatch: number) => ChangeEffect
  /** Removes old transactions and those beyond the capacity. */
  readonly purge: (options: PurgeOptions) => ChangeEffect
  /** Removes pending and invalid transactions. */
  readonly remove: (ids: ReadonlyArray<TransactionId>, reason: string) => ChangeEffect
  /** Brings the states of the pool in line with the ledger. */
  readonly reconcile: ChangeEffect
  /** Returns a transaction; null if it is not in the pool. */
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
  /** Returns the pool over the stores. */
  static readonly layer = (
    options: PoolOptions
  ): Layer.Layer<Pool, never, LedgerReader | PoolStore> => Layer.effect(Pool, make(options))
}

/** A transaction as it was selected. */
export type SelectedContent = Pick<PoolTransaction, "id" | "signature">

/** The hash function and the limits of a `Pool`. */
export interface PoolOptions extends Partial<ReconcileOptions> {
  readonly keccak256: Keccak256
}

/** The default of `PoolOptions.forgingMaxMs`: one hour, longer than the computation of any proof. */
export const forgingMaxMsDefault = 3_600_000

const make = Effect.fnUntraced(function*(
  { forgingMaxMs = forgingMaxMsDefault, keccak256 }: PoolOptions
) {
  const pool = yield* PoolStore
  const ports = { reader: yield* LedgerReader, pool }
  const moved = new EventCounts<{ readonly by: typeof causes[number] }>(
    "rollup_pool_moved_total",
    "Transitions of transactions in the pool, by cause",
    causes.map((by) => ({ by }))
  )
  const skipped = new EventCounts<{ readonly reason: keyof typeof skipCodes }>(
    "rollup_pool_passed_over_total",
    "Transactions that a selection skipped, by reason",
    Struct.keys(skipCodes).map((reason) => ({ reason }))
  )
  yield* measure(...moved.series, ...skipped.series)
  const reconcile = reconcilePool(ports, { forgingMaxMs })
  const selections = new LastSelections()
  const counted = (by: typeof causes[number], changing: ChangeEffect): ChangeEffect =>
    Effect.tap(changing, ({ length }) => Effect.sync(() => moved.add({ by }, length)))
  return Pool.of({
    select: (options) =>
      Effect.tap(selectFrom(ports, keccak256, options), (selection) =>
        Effect.sync(() => {
          selections.add(selection)
          for (const { code } of selection.skippedTransactions) {
            skipped.add({
              reason: Struct.keys(skipCodes).find((name) => skipCodes[name] === code)!
            })
          }
        })),
    startForging: (selected, batchNum) =>
      counted("startForging", startForging(ports, selections, selected, batchNum)),
    doneForging: (ids, batchNum) => counted("doneForging", doneForging(ports, ids, batchNum)),
    invalidate: (which, batchNum) => counted("invalidate", invalidate(ports, which, batchNum)),
    invalidateOldNonces: (nonces, batchNum) =>
      counted("invalidateOldNonces", invalidateOldNonces(ports, nonces, batchNum)),
    rollBack: (lastValidBatch) => counted("rollBack", rollBack(ports, reconcile, lastValidBatch)),
    purge: (options) => counted("purge", purgePool(ports, options)),
    remove: (ids, reason) => counted("remove", remove(ports, ids, reason)),
    reconcile: counted("reconcile", reconcile),
    transaction: pool.transaction,
    transitions: pool.transitions,
    skippedTransaction: pool.skippedTransaction
  })
})

const causes = [
  "startForging",
  "doneForging",
  "invalidate",
  "invalidateOldNonces",
  "rollBack",
  "purge",
  "remove",
  "reconcile"
] as const

const lastBatchNum = ({ reader }: PoolPorts): Effect.Effect<number, StoreFailure> =>
  Effect.map(reader.snapshotId, ({ batchNum }) => batchNum ?? 0)

const changeAll = ({ pool }: PoolPorts, changes: ReadonlyArray<PoolChange>): ChangeEffect =>
  Effect.flatMap(Clock.currentTimeMillis, (atMs) => pool.change(changes, atMs))

/** Changes the transactions that `to` returns a change for; of a group all or none. */
const changeSome = (
  ports: PoolPorts,
  rows: ReadonlyArray<Pooled>,
  to: (row: Pooled) => PoolChange | undefined
): ChangeEffect => {
  const changed = wholeGroups(rows.filter((row) => to(row) !== undefined))
  return changeAll(ports, changed.map((row) => to(row)!))
}

const rowsWithMembers = (ports: PoolPorts, ids: Iterable<TransactionId>) =>
  Effect.flatMap(ports.pool.pooled([...new Set(ids)]), (rows) => withMembers(ports, rows))

type Arguments<Name extends keyof Pool["Service"]> = Pool["Service"][Name] extends
  (...args: infer Args) => unknown ? Args : never

const startForging = Effect.fnUntraced(function*(
  ports: PoolPorts,
  selections: LastSelections,
  ...[selected, batchNum]: Arguments<"startForging">
) {
  // the ledger already has the batch, without these transactions
  if (batchNum <= (yield* lastBatchNum(ports))) return []
  const signatures = new Map(
    selected.map((each) =>
      typeof each === "string"
        ? [each, selections.signatureOf(each, batchNum)]
        : [each.id, each.signature]
    )
  )
  const isSelected = ({ id, signature }: PoolTransaction): boolean =>
    (signatures.get(id) ?? signature) === signature
  return yield* changeSome(
    ports,
    yield* ports.pool.pooled([...signatures.keys()]),
    (row) =>
      row.transaction.state === "pend" && !isExpired(row.transaction, batchNum) &&
        isSelected(row.transaction)
        ? changeOf(row, "fing", batchNum, `Selected for batch ${batchNum}`)
        : undefined
  )
})

const doneForging = Effect.fnUntraced(function*(
  ports: PoolPorts,
  ...[ids, batchNum]: Arguments<"doneForging">
) {
  if (batchNum <= (yield* lastBatchNum(ports))) return []
  return yield* changeSome(
    ports,
    yield* ports.pool.pooled([...new Set(ids)]),
    (row) =>
      row.transaction.state === "fing" && row.transaction.batchNum === batchNum
        ? changeOf(row, "fged", batchNum, `Batch ${batchNum} was sent`)
        : undefined
  )
})

const invalidate = Effect.fnUntraced(function*(
  ports: PoolPorts,
  ...[which, batchNum]: Arguments<"invalidate">
) {
  const last = yield* lastBatchNum(ports)
  const reasons = new Map(which.map(({ id, reason }) => [id, reason]))
  return yield* changeSome(ports, yield* rowsWithMembers(ports, reasons.keys()), (row) => {
    const { batchNum: current, id, state } = row.transaction
    return state === "pend" || state === "fing" || (state === "fged" && current! > last)
      ? changeOf(row, "invl", batchNum, reasons.get(id) ?? otherIsInvalid)
      : undefined
  })
})

const invalidateOldNonces = Effect.fnUntraced(function*(
  ports: PoolPorts,
  ...[nonces, batchNum]: Arguments<"invalidateOldNonces">
) {
  const below = yield* ports.pool.pendingBelow(nonces)
  return yield* changeAll(
    ports,
    (yield* withMembers(ports, below)).map((row) =>
      changeOf(
        row,
        "invl",
        batchNum,
        below.includes(row)
          ? `Nonce ${row.transaction.nonce} of account ${row.transaction.fromAccountIndex} is already used`
          : otherIsInvalid
      )
    )
  )
})

const rollBack = Effect.fnUntraced(function*(
  ports: PoolPorts,
  reconcile: ChangeEffect,
  lastValidBatch: number
) {
  const reconciled = yield* reconcile
  const reopened = yield* changeUnlessReconciled(ports, (lastReconciled) => {
    const last = Math.max(lastValidBatch, lastReconciled?.batchNum ?? 0)
    return changesToPending(ports, last, `Batches after ${last} are not valid`)
  })
  // another batch may have been reconciled since the first reconciliation
  yield* reconcileWithLedger(ports, yield* ports.pool.pooled(reopened))
  return [...new Set([...reconciled, ...reopened])]
})

const remove = Effect.fnUntraced(function*(
  ports: PoolPorts,
  ...[ids, reason]: Arguments<"remove">
) {
  return yield* changeSome(
    ports,
    yield* rowsWithMembers(ports, ids),
    (row) =>
      row.transaction.state === "pend" || row.transaction.state === "invl"
        ? changeOf(row, null, row.transaction.batchNum, `Removed: ${reason}`)
        : undefined
  )
})

/** The transactions that the selections of this process for the next batch contain. */
class LastSelections {
  #batchNum = 0
  readonly #signatures = new Map<TransactionId, string>()

  add({ batchNum, transactions }: Selection): void {
    if (batchNum !== this.#batchNum) this.#signatures.clear()
    this.#batchNum = batchNum
    for (const { transaction: { id, signature } } of transactions) {
      this.#signatures.set(id, signature)
    }
  }

  /** Returns the signature of a transaction when it was last selected for a batch, if it was. */
  signatureOf(id: TransactionId, batchNum: number): string | undefined {
    return batchNum === this.#batchNum ? this.#signatures.get(id) : undefined
  }
}

const otherIsInvalid = "Another transaction of its group is invalid"
