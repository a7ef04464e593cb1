import { Clock, Effect, type Scope, Semaphore } from "effect"
import { counter, gauge, measure, StoreFailure } from "../../../core/ports/mod.ts"
import type { MemoryPoolStore } from "../../memory/mod.ts"
import type { StoreImages } from "./reader.ts"
import { type CheckpointedJournal, type CheckpointReport, CheckpointWriter } from "./writer.ts"

/** When checkpoints are written, and what they drop. */
export interface CheckpointOptions {
  /** Bytes of records after which a checkpoint is written; 2 MiB by default. */
  readonly checkpointBytes?: number
  /**
   * Time in milliseconds after which a checkpoint drops the transitions of transactions that left
   * the pool; unlimited by default.
   */
  readonly poolHistoryMs?: number
  /**
   * Time in milliseconds that a last checkpoint may take when the stores close, so that the next
   * start replays no records; 3000 by default. 0 writes none.
   */
  readonly closingMs?: number
}

/** The checkpoints of an open journal. */
export interface Checkpoints {
  /** Writes a checkpoint now. If it fails, the journal goes on with its records. */
  readonly write: Effect.Effect<CheckpointReport, StoreFailure>
  /** Returns the problem of the last checkpoint, or undefined. */
  readonly problem: () => string | undefined
  /**
   * Waits for the checkpoint in progress if records arrive faster than it is written, so that a start
   * after a crash has few of them to replay.
   */
  readonly keepUp: Effect.Effect<void>
}

/** The sums before the first checkpoint since the start, and the last one. */
const noCheckpoints = {
  problem: undefined as string | undefined,
  count: 0,
  failures: 0,
  last: { bytes: 0, durationMs: 0 }
}
type CheckpointSums = typeof noCheckpoints

/** Writes checkpoints until the scope closes, one at a time, and reports them as metrics. */
export const scheduleCheckpoints = (
  journal: CheckpointedJournal,
  stores: { readonly capture: () => StoreImages; readonly pool: MemoryPoolStore },
  restored: StoreImages | undefined,
  { checkpointBytes = 2 * 2 ** 20, closingMs = 3000, poolHistoryMs = Infinity }: CheckpointOptions
): Effect.Effect<Checkpoints, never, Scope.Scope> =>
  Effect.gen(function*() {
    const writer = yield* Effect.acquireRelease(
      Effect.sync(() => new CheckpointWriter(journal, stores.capture, restored)),
      (opened) => Effect.promise(() => opened.close())
    )
    const semaphore = Semaphore.makeUnsafe(1)
    const sums = { ...noCheckpoints }
    const write = semaphore.withPermit(Effect.gen(function*() {
      const nowMs = yield* Clock.currentTimeMillis
      // without entries that may still be undone
      yield* Effect.try({
        try: () => journal.captureAt(() => stores.pool.forgetTransitions(nowMs - poolHistoryMs)),
        catch: (error) => failureOf(error, false)
      })
      const { manifest } = journal
      return yield* Effect.tryPromise({
        try: (signal) => writer.write(signal),
        catch: (error) => failureOf(error, journal.manifest !== manifest)
      })
    })).pipe(
      Effect.tap((report) => reportCheckpoint(journal, report, sums)),
      Effect.tapError(({ message }) => {
        sums.problem = message
        sums.failures++
        return Effect.logWarning(message)
      })
    )
    yield* measureCheckpoints(journal, sums)
    const writeIfDue = Effect.gen(function*() {
      yield* Effect.sleep(checkPeriodMs)
      if (journal.bytesSinceCheckpoint < checkpointBytes || journal.failure !== undefined) return
      yield* Effect.catch(write, () => Effect.sleep(retryMs))
    })
    // so that the next start has no records to replay; an unfinished one leaves them all
    const writeLast = Effect.suspend(() =>
      closingMs === 0 || journal.failure !== undefined || journal.bytesSinceCheckpoint === 0
        ? Effect.void
        : Effect.ignore(Effect.timeoutOption(Effect.interruptible(write), closingMs))
    )
    yield* Effect.addFinalizer(() => writeLast)
    yield* Effect.forkScoped(Effect.forever(writeIfDue))
    return {
      write,
      problem: () => sums.problem,
      keepUp: Effect.suspend(() =>
        journal.bytesSinceCheckpoint < 2 * checkpointBytes
          ? Effect.void
          : semaphore.withPermit(Effect.void)
      )
    }
  })

const reportCheckpoint = (
  { directory }: CheckpointedJournal,
  report: CheckpointReport,
  sums: CheckpointSums
): Effect.Effect<void> => {
  const { bytes, durationMs, seq, writtenBytes } = report
  sums.problem = undefined
  sums.count++
  sums.last = report
  return Effect.log(
    `Checkpoint of ${directory} at record ${seq}: wrote ${mebibytes(writtenBytes)} of ${
      mebibytes(bytes)
    } MiB in ${(durationMs / 1000).toFixed(1)} s`
  )
}

const measureCheckpoints = (journal: CheckpointedJournal, sums: CheckpointSums) =>
  measure(
    gauge(
      "rollup_journal_bytes_since_checkpoint",
      "Bytes of the records of the journal that no checkpoint includes",
      () => journal.bytesSinceCheckpoint
    ),
    gauge(
      "rollup_journal_checkpoint_bytes",
      "Bytes of the last checkpoint since the start",
      () => sums.last.bytes
    ),
    gauge(
      "rollup_journal_checkpoint_duration_seconds",
      "Time that the last checkpoint since the start took",
      () => sums.last.durationMs / 1000
    ),
    counter("rollup_journal_checkpoints_total", "Checkpoints that were written", () => sums.count),
    counter("rollup_journal_checkpoint_failures_total", "Checkpoints that failed", () =>
      sums.failures)
  )

const checkPeriodMs = 100
const retryMs = 60_000
const noneWritten = "No checkpoint of the journal could be written"
const notDeleted = "What the new checkpoint replaces could not be deleted"

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1)

const failureOf = (error: unknown, isInstalled: boolean): StoreFailure =>
  error instanceof StoreFailure ? error : new StoreFailure({
    retry: false,
    cause: error,
    message: `${isInstalled ? notDeleted : noneWritten} (${
      error instanceof Error ? error.message : String(error)
    })`
  })
