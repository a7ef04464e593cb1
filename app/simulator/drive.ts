import { Clock, Effect, type Fiber, type Scope } from "effect"
import type { BlockFeed, FeedRecord } from "../../core/domain/mod.ts"
import { LedgerReader, type StoreFailure } from "../../core/ports/mod.ts"
import {
  type BlockViolation,
  Ledger,
  Pool,
  Submission,
  type SubmissionFailure
} from "../../core/use_cases/mod.ts"
import {
  retryTransient,
  retryUnlessWriterChanged,
  retryUntilAvailable,
  type WriterChanged
} from "../store_retry.ts"
import { initialHistory } from "./feed.ts"
import type { LiveNetwork, Simulation } from "./simulation.ts"
import type { SubmittedTransaction } from "./world/mod.ts"

/** Options of `drive`. */
export interface DriveOptions {
  /** Number of transactions in the history that is applied before the network is live. */
  readonly transactions: number
  /** Time between two blocks or rollbacks, in milliseconds; 3000 by default, Infinity adds none. */
  readonly paceMs?: number
}

/**
 * The services that a live network needs. The ledger must update the pool, as `pooledLedger` does.
 */
export type LiveNode = Ledger | LedgerReader | Pool | Submission

type Driving<A> = Effect.Effect<A, BlockViolation | WriterChanged, LiveNode>

/**
 * Applies the initial history of a simulation to a node, and returns a fiber that then adds one
 * block or rollback every `paceMs` until the scope closes. Waits while a store is unavailable. The
 * effect and the fiber fail with `BlockViolation` if the ledger refuses a block, and with
 * `WriterChanged` if another process may have written the ledger. The effect also fails with
 * `StoreFailure` if a failure of the store is not transient.
 */
export const drive = (
  simulation: Simulation,
  { paceMs = 3000, transactions }: DriveOptions
): Effect.Effect<
  Fiber.Fiber<void, BlockViolation | WriterChanged>,
  BlockViolation | WriterChanged | StoreFailure,
  LiveNode | Scope.Scope
> =>
  Effect.gen(function*() {
    yield* applyInitialHistory(simulation, transactions)
    const forever = Effect.forever(Effect.andThen(Effect.sleep(paceMs), driveOnce(simulation)))
    return yield* Effect.forkScoped(paceMs === Infinity ? Effect.void : forever)
  })

/** Applies the initial history, and logs the progress if it takes long. */
const applyInitialHistory = Effect.fnUntraced(
  function*(simulation: Simulation, transactions: number) {
    const ledger = yield* Ledger
    const startMs = yield* Clock.currentTimeMillis
    let nextLogMs = startMs + LOG_INTERVAL_MS
    for (const record of initialHistory(simulation, transactions)) {
      yield* retryTransient(ledger.applyRecord(record))
      const nowMs = yield* Clock.currentTimeMillis
      if (nowMs < nextLogMs) continue
      nextLogMs = nowMs + LOG_INTERVAL_MS
      const reason = simulation.computesRoots()
        ? ": computing its state roots, since only those of the default network are recorded"
        : ""
      const done = simulation.transactionCount()
      const perSecond = done / (nowMs - startMs) * 1000
      const progress = done === 0
        ? ""
        : `, ${Math.round(perSecond)} a second, ${
          Math.ceil((transactions - done) / perSecond)
        } s to go`
      yield* Effect.log(
        `The simulated network has ${done} of ${transactions} transactions${progress}${reason}`
      )
    }
  }
)

const LOG_INTERVAL_MS = 2000

/**
 * Adds one block or rollback, and returns the records that it applied. The simulated users submit
 * transactions to the pool. The coordinator selects the next batch from all transactions of the
 * pool; they are `fing` until the next call, which forges them or occasionally fails to. Waits
 * while a store is unavailable.
 */
export const driveOnce = ({ live }: Simulation): Driving<ReadonlyArray<FeedRecord>> =>
  Effect.gen(function*() {
    const pool = yield* Pool
    for (const _ of live.buildStateTree()) yield* Effect.yieldNow
    const isIdle = live.nextBatch() !== undefined && live.failsToForge()
    if (isIdle) yield* cancelNextBatch(live)
    const records = yield* advanceChain(live, isIdle)
    const batchNum = yield* retryUntilAvailable(lastBatchNum)
    if ((live.nextBatch()?.batchNum ?? batchNum + 1) !== batchNum + 1) yield* cancelNextBatch(live)
    if (live.nextBatch() === undefined) yield* selectNextBatch(live)
    yield* submitTransactions(live)
    if (batchNum % PURGE_PERIOD_BATCHES === 0) {
      yield* retryUntilAvailable(
        pool.purge({
          ttlMs: PENDING_MAX_MS,
          currentBatch: batchNum,
          safetyPeriodBatches: SAFETY_BATCHES,
          capacity: CAPACITY
        })
      )
    }
    return records
  })

/** Maximum transactions and new accounts of a batch. */
const BATCH_MAX = { maxTransactions: 64, maxNewAccounts: 8 }
/** One day: a transaction that is pending for longer has a nonce that is never reached. */
const PENDING_MAX_MS = 86_400_000
const PURGE_PERIOD_BATCHES = 16
const CAPACITY = 100_000
/**
 * Number of batches for which the pool still lists forged transactions: more than a rollback drops.
 */
const SAFETY_BATCHES = 2000

const lastBatchNum = Effect.gen(function*() {
  return (yield* (yield* LedgerReader).stamp).batchNum ?? 0
})

/** Cancels the next batch: its transactions are pending again. */
const cancelNextBatch = (live: LiveNetwork) =>
  Effect.gen(function*() {
    const pool = yield* Pool
    live.setNextBatch(undefined)
    yield* retryUntilAvailable(Effect.flatMap(lastBatchNum, pool.rollBack))
  })

const advanceChain = (live: LiveNetwork, isIdle: boolean): Driving<ReadonlyArray<FeedRecord>> =>
  Effect.gen(function*() {
    const ledger = yield* Ledger
    const pool = yield* Pool
    const nextBatch = live.nextBatch()
    const records = live.advance({ isIdle })
    for (const record of records) {
      // a coordinator reports that it has sent the batch before the ledger contains it
      if (
        record.kind === "block" && nextBatch !== undefined &&
        containsBatch(record.block, nextBatch.batchNum)
      ) {
        yield* retryUntilAvailable(pool.doneForging(nextBatch.ids, nextBatch.batchNum))
      }
      yield* retryUnlessWriterChanged(ledger.applyRecord(record))
      if (record.kind === "rollBack" && nextBatch !== undefined) yield* cancelNextBatch(live)
    }
    return records
  })

const containsBatch = ({ batches = [] }: BlockFeed, batchNum: number): boolean =>
  batches.some((batch) => batch.batchNum === batchNum)

/**
 * Selects the next batch. If the store fails, moves all selected transactions back to pending, so
 * that the next attempt can select them.
 */
const selectNextBatch = (live: LiveNetwork): Driving<void> =>
  retryUntilAvailable(
    Effect.tapErrorTag(selectOnce(live), "StoreFailure", () => cancelNextBatch(live))
  )

/** Selects the next batch, without the transactions that another coordinator has just selected. */
const selectOnce = (live: LiveNetwork) =>
  Effect.gen(function*() {
    const pool = yield* Pool
    const selection = yield* pool.select(BATCH_MAX)
    if (selection.transactions.length === 0) return
    const moved = new Set(
      yield* pool.startForging(
        selection.transactions.map(({ transaction }) => transaction.id),
        selection.batchNum
      )
    )
    live.setNextBatch({
      ...selection,
      transactions: selection.transactions.filter(({ transaction }) => moved.has(transaction.id))
    })
  })

/**
 * Submits the new transactions and authorizations of the users. If the node is busy or the pool is
 * full, they do not retry.
 */
const submitTransactions = (live: LiveNetwork): Driving<void> =>
  Effect.gen(function*() {
    const submission = yield* Submission
    const { authorizations, entries } = live.nextSubmissions()
    const accepted: Array<SubmittedTransaction> = []
    for (const authorization of authorizations) {
      yield* retryUntilAvailable(unlessRefused(submission.submitAuthorization(authorization)))
    }
    for (const entry of entries) {
      if (
        (yield* retryUntilAvailable(
          unlessRefused(submission.submitTransaction(entry.transaction))
        )) !==
          undefined
      ) accepted.push(entry)
    }
    live.rememberAccepted(accepted)
  })

const unlessRefused = <A>(
  submitted: Effect.Effect<A, SubmissionFailure>
): Effect.Effect<A | undefined, StoreFailure> =>
  Effect.catchTags(submitted, {
    SubmissionRefused: (refused) =>
      Effect.as(
        Effect.logWarning(`A transaction of a simulated user was refused: ${refused.message}`),
        undefined
      ),
    SubmissionConflict: (conflict) => Effect.as(Effect.logDebug(conflict.message), undefined),
    PoolFull: (full) => Effect.as(Effect.logDebug(full.message), undefined),
    VerifierBusy: (busy) => Effect.as(Effect.logDebug(busy.message), undefined)
  })
