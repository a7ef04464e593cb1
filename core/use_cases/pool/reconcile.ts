import { Clock, Effect } from "effect"
import type { Batch } from "../../domain/mod.ts"
import type { TransactionId } from "../../encoding/mod.ts"
import type {
  OwnedTransaction,
  PoolChange,
  Pooled,
  ReconciledBatch,
  StoreFailure
} from "../../ports/mod.ts"
import {
  changeOf,
  changeUnlessReconciled,
  inBatches,
  lastReconciledBatch,
  type PoolPorts
} from "./_optimistic_change.ts"
import { completeGroups } from "./_groups.ts"
import { decisionsOf } from "./_decisions.ts"
import {
  changesOfBatch,
  changesToDecisions,
  changesToPending,
  leftOutChange
} from "./_pool_changes.ts"

/** The options of `Pool.reconcile`. */
export interface ReconcileOptions {
  /** Maximum time in the state forging; after it a transaction becomes pending again. */
  readonly forgingMaxMs: number
}

type ChangedIds = ReadonlyArray<TransactionId>

/**
 * Reconciles the pool batch by batch, starting from the last batch that pool and ledger agree on.
 * Transactions in a batch of the ledger become forged, even if another node forged it. Transactions
 * that can no longer be forged become invalid. Transactions that were rolled back, or that their
 * batch does not contain, become pending again. It can be interrupted at any point: the next call
 * continues.
 */
export const reconcilePool = Effect.fnUntraced(
  function*(
    ports: PoolPorts,
    options: ReconcileOptions
  ): Effect.fn.Return<ChangedIds, StoreFailure> {
    const changed = yield* reconcileBatches(ports)
    for (const id of yield* releaseForging(ports, options)) changed.add(id)
    // the ledger may have decided about a transaction before it became pending again
    yield* reconcileWithLedger(ports, yield* ports.pool.pooled([...changed]))
    return [...changed]
  }
)

/**
 * Reconciles transactions that became pending after the reconciliation of a batch that decides about them.
 * If the pool has not reconciled the last batches of the ledger, it reconciles them first: a state that
 * followed from them would outlive their rollback.
 */
export const reconcileWithLedger = Effect.fnUntraced(
  function*(
    ports: PoolPorts,
    rows: ReadonlyArray<OwnedTransaction>
  ): Effect.fn.Return<void, StoreFailure> {
    if (rows.length === 0) return
    const { pool, reader } = ports
    const { batchNum } = yield* reader.snapshotId
    if ((yield* decisionsOf(ports, rows, batchNum ?? 0)).size === 0) return
    const ids = rows.map(({ transaction }) => transaction.id)
    for (;;) {
      yield* reconcileBatches(ports)
      const reconciled = yield* lastReconciledBatch(ports)
      const changes = yield* readUnchanged(
        reader,
        Effect.gen(function*() {
          // all reads are of the ledger with this last batch
          if ((yield* reader.snapshotId).batchNum !== (reconciled?.batchNum ?? null)) return null
          if (reconciled !== null && !(yield* isInLedger(ports, reconciled))) return null
          const pending = yield* pool.pooled(ids)
          return yield* changesOfPending(ports, pending, reconciled?.batchNum ?? 0)
        })
      )
      if (changes === null) continue
      if (changes.length === 0) return
      const step = { from: reconciled, to: reconciled, changes }
      if ((yield* pool.reconcile(step, yield* Clock.currentTimeMillis)) !== null) return
    }
  }
)

/** Reconciles the batches of the ledger one by one. Returns the changed ids. */
const reconcileBatches = Effect.fnUntraced(
  function*(ports: PoolPorts): Effect.fn.Return<Set<TransactionId>, StoreFailure> {
    const changed = new Set<TransactionId>()
    for (;;) {
      const step = yield* reconcileNext(ports)
      if (step === "done") return changed
      for (const id of step) changed.add(id)
    }
  }
)

/** Reconciles the next batch, or goes back to the last batch that pool and ledger agree on. */
const reconcileNext = Effect.fnUntraced(
  function*(ports: PoolPorts): Effect.fn.Return<ChangedIds | "done", StoreFailure> {
    const { reader } = ports
    const last = (yield* reader.snapshotId).batchNum ?? 0
    const from = yield* lastReconciledBatch(ports)
    if (from !== null && !(yield* isInLedger(ports, from))) {
      return yield* reconcileRollBack(ports, from, yield* lastAgreed(ports, from))
    }
    if ((from?.batchNum ?? 0) >= last) return "done"
    if (from === null || (yield* isEmpty(ports))) {
      const { item } = yield* reader.find("batch", last)
      if (item === null) return []
      return yield* reconcileStep(ports, from, reconciledBatchOf(item), changesOfAll(ports, last))
    }
    const { item } = yield* reader.find("fullBatch", from.batchNum + 1)
    if (item === null) return []
    return yield* reconcileStep(
      ports,
      from,
      reconciledBatchOf(item.batch),
      changesOfBatch(ports, item)
    )
  }
)

/** Ends the states that follow from batches after `to`. */
const reconcileRollBack = (ports: PoolPorts, from: ReconciledBatch, to: ReconciledBatch | null) => {
  const last = to?.batchNum ?? 0
  const changes = changesToPending(ports, last, `Batches after ${last} were rolled back`)
  return reconcileStep(ports, from, to, changes)
}

/**
 * Moves the last reconciled batch to `to` with the changes, and applies further changes until there are
 * none: until then another call could post or change a transaction as of the batches before. Stops if
 * the ledger or the last reconciled batch is another one. Returns the changed ids.
 */
const reconcileStep = Effect.fnUntraced(
  function*(
    ports: PoolPorts,
    before: ReconciledBatch | null,
    to: ReconciledBatch | null,
    changesOfStep: Effect.Effect<ReadonlyArray<PoolChange>, StoreFailure>
  ): Effect.fn.Return<ChangedIds, StoreFailure> {
    const isForward = to !== null && (before === null || before.batchNum < to.batchNum)
    const changed: Array<TransactionId> = []
    for (let from = before;; from = to) {
      const changes = yield* readUnchanged(
        ports.reader,
        Effect.gen(function*() {
          for (const batch of isForward ? [from, to] : [to]) {
            if (batch !== null && !(yield* isInLedger(ports, batch))) return null
          }
          return yield* changesOfStep
        })
      )
      if (changes === null || (from === to && changes.length === 0)) return changed
      const ids = yield* ports.pool.reconcile({ from, to, changes }, yield* Clock.currentTimeMillis)
      if (ids === null) return changed
      changed.push(...ids)
    }
  }
)

/** Returns the result of several reads of the ledger, which does not change in between. */
const readUnchanged = Effect.fnUntraced(
  function*<A>(reader: PoolPorts["reader"], read: Effect.Effect<A, StoreFailure>) {
    for (;;) {
      const { version } = yield* reader.snapshotId
      const answer = yield* read
      if ((yield* reader.snapshotId).version === version) return answer
    }
  }
)

/** Returns the changes of all transactions after the batches up to `last`. */
const changesOfAll = Effect.fnUntraced(
  function*(ports: PoolPorts, last: number) {
    const { pool } = ports
    const pending = yield* pool.pendingSince({
      beforeMs: Number.MAX_SAFE_INTEGER,
      limit: Number.MAX_SAFE_INTEGER
    })
    const forging = yield* inBatches(ports, ["fing", "fged"], 0, last)
    return yield* changesOfPending(ports, [...pending, ...forging], last)
  }
)

/**
 * Returns the changes of pending transactions, and of those in batches up to `last`, to what these
 * batches decide, or else to pending.
 */
const changesOfPending = Effect.fnUntraced(
  function*(ports: PoolPorts, rows: ReadonlyArray<Pooled>, last: number) {
    const open = rows.filter(({ transaction: { batchNum, state } }) =>
      state === "pend" || ((state === "fing" || state === "fged") && batchNum! <= last)
    )
    const changes = yield* changesToDecisions(
      ports,
      open,
      last,
      (row) => row.transaction.state === "pend" ? undefined : leftOutChange(row)
    )
    return yield* completeGroups(ports, changes, rows, last)
  }
)

/** Resets forging transactions to pending if their batch does not contain them or is overdue. */
const releaseForging = (ports: PoolPorts, { forgingMaxMs }: ReconcileOptions) =>
  changeUnlessReconciled(
    ports,
    Effect.fnUntraced(function*(reconciled) {
      const last = reconciled?.batchNum ?? 0
      const atMs = yield* Clock.currentTimeMillis
      const leftOut = yield* inBatches(ports, ["fing"], 0, last)
      const waiting = yield* inBatches(ports, ["fing", "fged"], last + 1)
      const overdue = waiting.filter(({ sinceMs }) => sinceMs < atMs - forgingMaxMs)
      return [
        ...leftOut.map(leftOutChange),
        ...overdue.map((row) =>
          changeOf(
            row,
            "pend",
            null,
            `Batch ${row.transaction.batchNum} was not forged within ${forgingMaxMs} ms`
          )
        )
      ]
    })
  )

const isEmpty = ({ pool }: PoolPorts) =>
  Effect.map(pool.counts, ({ fged, fing, invl, pend }) => fged + fing + invl + pend === 0)

const isInLedger = ({ reader }: PoolPorts, { batchNum, ethereumBlockHash }: ReconciledBatch) =>
  Effect.map(
    reader.find("batch", batchNum),
    ({ item }) => item?.ethereumBlockHash === ethereumBlockHash
  )

/** Returns the last reconciled batch below `above` that the ledger has; null if there is none. */
const lastAgreed = Effect.fnUntraced(function*(ports: PoolPorts, above: ReconciledBatch) {
  let below = above.batchNum
  for (;;) {
    const batches = yield* ports.pool.reconciledBatchesBelow({ batchNum: below, limit: PAGE })
    for (const batch of batches) if (yield* isInLedger(ports, batch)) return batch
    if (batches.length < PAGE) return null
    below = batches.at(-1)!.batchNum
  }
})

/** Number of reconciled batches in a read, more than most rollbacks remove. */
const PAGE = 64

const reconciledBatchOf = ({ batchNum, ethereumBlockHash }: Batch): ReconciledBatch => ({
  batchNum,
  ethereumBlockHash
})
