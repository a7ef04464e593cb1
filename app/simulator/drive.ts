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

export interface DriveOptions {
  /** How many transactions are there before the network goes live. */
  readonly transactions: number
  /** Time between two blocks or rollbacks; 3000 by default, Infinity for none. */
  readonly paceMs?: number
}

/** What a live network works on: the ledger must keep the pool in agreement, as `pooledLedger` does. */
export type LiveNode = Ledger | LedgerReader | Pool | Submission

type Driving<A> = Effect.Effect<A, BlockViolation | WriterChanged, LiveNode>

/**
 * Feeds a node: the initialHistory at once, then in the background, until the scope closes, one block or rollback at each pace. The fiber
 * fails with what the ledger refuses, and where others may have written the ledger meanwhile; for a store that does not answer it waits.
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

/** The initialHistory; where it takes its time, it says so. */
const applyInitialHistory = Effect.fnUntraced(
  function*(simulation: Simulation, transactions: number) {
    const ledger = yield* Ledger
    const startMs = yield* Clock.currentTimeMillis
    let silentUntilMs = startMs + SILENCE_MS
    for (const record of initialHistory(simulation, transactions)) {
      yield* retryTransient(ledger.applyRecord(record))
      const nowMs = yield* Clock.currentTimeMillis
      if (nowMs < silentUntilMs) continue
      silentUntilMs = nowMs + SILENCE_MS
      const why = simulation.computesRoots()
        ? ": its state roots are computed, since only those of the default network are recorded"
        : ""
      const done = simulation.transactionCount()
      const perSecond = done / (nowMs - startMs) * 1000
      const left = done === 0
        ? ""
        : `, ${Math.round(perSecond)} a second, ${
          Math.ceil((transactions - done) / perSecond)
        } s to go`
      yield* Effect.log(
        `The simulated network has ${done} of ${transactions} transactions${left}${why}`
      )
    }
  }
)

const SILENCE_MS = 2000

/**
 * One block or rollback. Wallets submit like everybody else, and the coordinator forges whatever the pool gives it, strangers' transactions
 * too: what it selects now is `fing` until the next call, which forges it or, now and then, fails to. Where the store fails it waits and
 * does that part again. Returns what the ledger was told.
 */
export const driveOnce = ({ live }: Simulation): Driving<ReadonlyArray<FeedRecord>> =>
  Effect.gen(function*() {
    const pool = yield* Pool
    for (const _ of live.buildStateTree()) yield* Effect.yieldNow
    const idle = live.nextBatch() !== undefined && live.failsToForge()
    if (idle) yield* cancelNextBatch(live)
    const records = yield* advanceChain(live, idle)
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

/** Transactions and new accounts of a batch. */
const BATCH_MAX = { maxTransactions: 64, maxNewAccounts: 8 }
/** A day: what waits longer has a nonce that never comes. */
const PENDING_MAX_MS = 86_400_000
const PURGE_PERIOD_BATCHES = 16
const CAPACITY = 100_000
/** Long enough to look at what was forged, and far more than a rollback is deep. */
const SAFETY_BATCHES = 2000

const lastBatchNum = Effect.gen(function*() {
  return (yield* (yield* LedgerReader).stamp).batchNum ?? 0
})

/** What was announced waits again. */
const cancelNextBatch = (live: LiveNetwork) =>
  Effect.gen(function*() {
    const pool = yield* Pool
    live.setNextBatch(undefined)
    yield* retryUntilAvailable(Effect.flatMap(lastBatchNum, pool.rollBack))
  })

const advanceChain = (live: LiveNetwork, idle: boolean): Driving<ReadonlyArray<FeedRecord>> =>
  Effect.gen(function*() {
    const ledger = yield* Ledger
    const pool = yield* Pool
    const announced = live.nextBatch()
    const records = live.advance({ isIdle: idle })
    for (const record of records) {
      // sent when the batch leaves the coordinator; that the ledger has it makes it final
      if (
        record.kind === "block" && announced !== undefined &&
        containsBatch(record.block, announced.batchNum)
      ) {
        yield* retryUntilAvailable(pool.doneForging(announced.ids, announced.batchNum))
      }
      yield* retryUnlessWriterChanged(ledger.applyRecord(record))
      if (record.kind === "rollBack" && announced !== undefined) yield* cancelNextBatch(live)
    }
    return records
  })

const containsBatch = ({ batches = [] }: BlockFeed, batchNum: number): boolean =>
  batches.some((batch) => batch.batchNum === batchNum)

/** Selects for the next batch. What the store may have moved before it failed waits again, so that the next attempt selects it too. */
const selectNextBatch = (live: LiveNetwork): Driving<void> =>
  retryUntilAvailable(
    Effect.tapErrorTag(selectOnce(live), "StoreFailure", () => cancelNextBatch(live))
  )

/** Of what another coordinator took in between nothing is forged. */
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

/** Where the node is busy or full, wallets think better of it. */
const submitTransactions = (live: LiveNetwork): Driving<void> =>
  Effect.gen(function*() {
    const submission = yield* Submission
    const { authorizations, entries } = live.nextSubmissions()
    const taken: Array<SubmittedTransaction> = []
    for (const authorization of authorizations) {
      yield* retryUntilAvailable(unlessRefused(submission.submitAuthorization(authorization)))
    }
    for (const entry of entries) {
      if (
        (yield* retryUntilAvailable(
          unlessRefused(submission.submitTransaction(entry.transaction))
        )) !==
          undefined
      ) taken.push(entry)
    }
    live.rememberAccepted(taken)
  })

const unlessRefused = <A>(
  submitted: Effect.Effect<A, SubmissionFailure>
): Effect.Effect<A | undefined, StoreFailure> =>
  Effect.catchTags(submitted, {
    SubmissionRefused: (refused) =>
      Effect.as(Effect.logWarning(`A simulated wallet was refused: ${refused.message}`), undefined),
    SubmissionConflict: (conflict) => Effect.as(Effect.logDebug(conflict.message), undefined),
    PoolFull: (full) => Effect.as(Effect.logDebug(full.message), undefined),
    VerifierBusy: (busy) => Effect.as(Effect.logDebug(busy.message), undefined)
  })
