import { Clock, Effect, Fiber, Predicate, type Scope, Stream } from "effect"
import { type FeedRecord, writeFeedLine } from "../../core/domain/mod.ts"
import { LedgerReader, type StoreFailure } from "../../core/ports/mod.ts"
import {
  type BlockViolation,
  Ledger,
  type NothingToReplace,
  Pool,
  Submission,
  type SubmissionFailure
} from "../../core/use_cases/mod.ts"
import { retryUnlessWriterChanged, retryUntilAvailable, type WriterChanged } from "../stores/mod.ts"
import { runnerOf, type SimulationRunner } from "./calls.ts"
import type { LiveNetwork, Simulation } from "./simulation.ts"
import type { SubmittedTransaction } from "./world/mod.ts"

/**
 * Yields the records of a simulation, without its genesis record, until the chain has at least this
 * number of transactions.
 *
 * @example
 * ```ts
 * import { initialHistory, simulate } from "rollup-node-api/simulator"
 *
 * const simulation = simulate({ seed: 1 })
 * const records = [...initialHistory(simulation, 100)]
 * console.log(records[0]?.kind, simulation.transactionCount() >= 100) // => block true
 * ```
 */
export function* initialHistory(
  simulation: Simulation,
  transactions: number
): Generator<FeedRecord, void> {
  while (simulation.transactionCount() < transactions) yield simulation.next()
}

/**
 * Yields the lines of the feed in NDJSON, each with its line feed, starting with the genesis
 * record. Ends when the chain has at least this number of transactions; by default it never ends.
 *
 * @example
 * ```ts
 * import { simulate, writeFeed } from "rollup-node-api/simulator"
 *
 * const lines = [...writeFeed(simulate({ seed: 1 }), 10)]
 * console.log(JSON.parse(lines[0]!).kind, JSON.parse(lines[1]!).kind) // => genesis block
 * ```
 */
export function* writeFeed(
  simulation: Simulation,
  transactions = Infinity
): Generator<string, void> {
  yield `${writeFeedLine({ kind: "genesis", genesis: simulation.genesis })}\n`
  for (const record of initialHistory(simulation, transactions)) yield `${writeFeedLine(record)}\n`
}

/** Options of `drive`. */
export interface DriveOptions {
  /** Number of transactions in the history that is applied before the network is live. */
  readonly transactions: number
  /** Time between two blocks or rollbacks, in milliseconds; 3000 by default, Infinity adds none. */
  readonly paceMs?: number
  /** Number of transactions after which the network ends; Infinity by default. */
  readonly transactionsMax?: number
  /**
   * Whether blocks have the time of the clock: the history ends now, and each new block has the time
   * at which it is added. By default blocks follow each other every 12 to 15 seconds.
   */
  readonly usesClock?: boolean
}

/**
 * The services that a live network needs. The ledger must update the pool, as `pooledLedger` does.
 */
export type LiveNode = Ledger | LedgerReader | Pool | Submission

type DriveFailure = BlockViolation | StoreFailure | WriterChanged
type Driving<A> = Effect.Effect<A, DriveFailure, LiveNode>

/**
 * Applies the initial history of a simulation to a node, and returns a fiber that then adds one
 * block or rollback every `paceMs` until the network ends or the scope closes. Waits while a store
 * is unavailable. The effect and the fiber fail with `BlockViolation` if the ledger refuses a
 * block, with `WriterChanged` if another process may have written the ledger, and with
 * `StoreFailure` if a failure of the store is permanent.
 *
 * @example
 * ```ts
 * import { Effect, Fiber } from "effect"
 * import { nodeLayer } from "rollup-node-api/embed/effect"
 * import { drive, simulate } from "rollup-node-api/simulator"
 *
 * const simulation = simulate({ seed: 1 })
 * const live = Effect.gen(function*() {
 *   const network = yield* drive(simulation, { transactions: 50, transactionsMax: 60, paceMs: 1 })
 *   yield* Fiber.join(network)
 *   return simulation.transactionCount() >= 60
 * })
 * const node = nodeLayer({ genesis: simulation.genesis })
 * console.log(await Effect.runPromise(Effect.provide(Effect.scoped(live), node))) // => true
 * ```
 */
export const drive = (
  simulation: Simulation | SimulationRunner,
  { paceMs = 3000, transactions, transactionsMax = Infinity, usesClock = false }: DriveOptions
): Effect.Effect<
  Fiber.Fiber<void, DriveFailure>,
  DriveFailure,
  LiveNode | Scope.Scope
> =>
  Effect.gen(function*() {
    const runner = runnerOf(simulation)
    const endMs = usesClock ? yield* Clock.currentTimeMillis : undefined
    yield* applyInitialHistory(runner, { transactions, endMs })
    if (paceMs === Infinity) return yield* Effect.forkScoped(Effect.void)
    const live = Effect.gen(function*() {
      while ((yield* runner.call("transactionCount")) < transactionsMax) {
        yield* Effect.sleep(paceMs)
        yield* driveOnce(runner, { usesClock })
      }
    })
    return yield* Effect.forkScoped(live)
  })

/** Applies the initial history, and logs the progress if it takes long. */
const applyInitialHistory = Effect.fnUntraced(
  function*(
    { call }: SimulationRunner,
    { endMs, transactions }: {
      readonly transactions: number
      /** Time of the last block of the history. */
      readonly endMs: number | undefined
    }
  ) {
    const ledger = yield* Ledger
    let nextLogMs = (yield* Clock.currentTimeMillis) + LOG_INTERVAL_MS
    const apply = Effect.fnUntraced(function*(record: FeedRecord) {
      yield* retryUnlessWriterChanged(ledger.applyRecord(record))
      const nowMs = yield* Clock.currentTimeMillis
      if (nowMs < nextLogMs) return
      nextLogMs = nowMs + LOG_INTERVAL_MS
      const done = yield* call("transactionCount")
      yield* Effect.log(
        `The history of the simulated network has ${done} of ${transactions} transactions`
      )
    })
    yield* Stream.fromEffectRepeat(call("nextOfHistory", { transactions, endMs })).pipe(
      Stream.takeWhile(Predicate.isNotUndefined),
      // the next record is generated while this one is applied
      Stream.buffer({ capacity: 1 }),
      Stream.runForEach(apply)
    )
  }
)

const LOG_INTERVAL_MS = 2000

/**
 * Adds one block or rollback, and returns the records that it applied. The simulated users submit
 * transactions to the pool. The coordinator selects the next batch from all transactions of the
 * pool; they are `fing` until the next call, which forges them or occasionally fails to. Waits
 * while a store is unavailable.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { nodeLayer } from "rollup-node-api/embed/effect"
 * import { driveOnce, simulate } from "rollup-node-api/simulator"
 *
 * const simulation = simulate({ seed: 1 })
 * const node = nodeLayer({ genesis: simulation.genesis })
 * const records = await Effect.runPromise(Effect.provide(driveOnce(simulation), node))
 * console.log(records.map(({ kind }) => kind)) // => [ 'block' ]
 * ```
 */
export const driveOnce = (
  simulation: Simulation | SimulationRunner,
  { usesClock = false }: Pick<DriveOptions, "usesClock"> = {}
): Driving<ReadonlyArray<FeedRecord>> =>
  Effect.gen(function*() {
    const pool = yield* Pool
    const runner = runnerOf(simulation)
    const { call } = runner
    const isIdle = (yield* call("nextBatch")) !== undefined && (yield* call("failsToForge"))
    if (isIdle) yield* cancelNextBatch(runner)
    const timeMs = usesClock ? yield* Clock.currentTimeMillis : undefined
    const records = yield* advanceChain(runner, { isIdle, timeMs })
    const batchNum = yield* retryUntilAvailable(lastBatchNum)
    const planned = yield* call("nextBatch")
    const isPlanned = planned?.batchNum === batchNum + 1
    if (planned !== undefined && !isPlanned) yield* cancelNextBatch(runner)
    if (!isPlanned) yield* selectNextBatch(runner)
    yield* submitTransactions(runner)
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
  return (yield* (yield* LedgerReader).snapshotId).batchNum ?? 0
})

/** Cancels the next batch: its transactions are pending again. */
const cancelNextBatch = ({ call }: SimulationRunner) =>
  Effect.gen(function*() {
    const pool = yield* Pool
    yield* call("setNextBatch", undefined)
    yield* retryUntilAvailable(Effect.flatMap(lastBatchNum, pool.rollBack))
  })

const advanceChain = (
  runner: SimulationRunner,
  options: Parameters<LiveNetwork["advance"]>[0]
): Driving<ReadonlyArray<FeedRecord>> =>
  Effect.gen(function*() {
    const ledger = yield* Ledger
    const pool = yield* Pool
    const nextBatch = yield* runner.call("nextBatch")
    const records = yield* runner.call("advance", options)
    for (const record of records) {
      const { batches = [] } = record.kind === "block" ? record.block : {}
      // a coordinator reports that it has sent the batch before the ledger contains it
      if (nextBatch !== undefined && batches.some((each) => each.batchNum === nextBatch.batchNum)) {
        yield* retryUntilAvailable(pool.doneForging(nextBatch.ids, nextBatch.batchNum))
      }
      yield* retryUnlessWriterChanged(ledger.applyRecord(record))
      if (record.kind === "rollBack" && nextBatch !== undefined) yield* cancelNextBatch(runner)
    }
    return records
  })

/**
 * Selects the next batch. If the store fails, moves all selected transactions back to pending, so
 * that the next attempt can select them.
 */
const selectNextBatch = (runner: SimulationRunner): Driving<void> =>
  retryUntilAvailable(
    Effect.tapErrorTag(selectOnce(runner), "StoreFailure", () => cancelNextBatch(runner))
  )

/** Selects the next batch, without the transactions that another coordinator has just selected. */
const selectOnce = ({ call }: SimulationRunner) =>
  Effect.gen(function*() {
    const pool = yield* Pool
    const selection = yield* pool.select(BATCH_MAX)
    if (selection.transactions.length === 0) return
    const moved = new Set(
      yield* pool.startForging(
        selection.transactions.map(({ transaction }) => transaction),
        selection.batchNum
      )
    )
    yield* call("setNextBatch", {
      ...selection,
      transactions: selection.transactions.filter(({ transaction }) => moved.has(transaction.id))
    })
  })

/**
 * Submits the new transactions and authorizations of the users. If the node is busy or the pool is
 * full, they do not retry.
 */
const submitTransactions = ({ call }: SimulationRunner): Driving<void> =>
  Effect.gen(function*() {
    const submission = yield* Submission
    const { authorizations, entries, groups, replacements } = yield* call("nextSubmissions")
    const submissions: ReadonlyArray<readonly [Submitting, ReadonlyArray<SubmittedTransaction>]> = [
      ...authorizations.map((each) => [submission.submitAuthorization(each), []] as const),
      ...entries.map((entry) =>
        [submission.submitTransaction(entry.transaction), [entry]] as const
      ),
      ...replacements.map(({ entry, replaced }) =>
        [submission.replaceTransaction(replaced, entry.transaction), [entry]] as const
      ),
      ...groups.map(({ entries, group }) => [submission.submitGroup(group), entries] as const)
    ]
    const accepted: Array<SubmittedTransaction> = []
    for (const [submitting, submitted] of submissions) {
      if (yield* retryUntilAvailable(isAccepted(submitting))) accepted.push(...submitted)
    }
    yield* call("rememberAccepted", accepted)
  })

type Submitting = Effect.Effect<unknown, SubmissionFailure | NothingToReplace>

/** Logs why a submission is not accepted. */
const isAccepted = (submitting: Submitting): Effect.Effect<boolean, StoreFailure> =>
  Effect.catch(Effect.as(submitting, true), (failure) =>
    failure._tag === "StoreFailure"
      ? Effect.fail(failure)
      : Effect.as(
        failure._tag === "SubmissionRefused"
          ? Effect.logWarning(`A transaction of a simulated user was refused: ${failure.message}`)
          : Effect.logDebug(failure.message),
        false
      ))
