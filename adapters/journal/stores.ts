import { Context, Deferred, Effect, Layer } from "effect"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import {
  checkHealth,
  counter,
  type Health,
  type LedgerHistory,
  type LedgerReader,
  LedgerWriter,
  measure,
  type PoolStore,
  StoreDescription,
  type StoreFailure
} from "../../core/ports/mod.ts"
import { type LedgerOptions, openMemoryLedger, openMemoryPool } from "../memory/mod.ts"
import { replay, type ReplayReport } from "./replay/mod.ts"
import {
  type CheckpointOptions,
  type CheckpointReport,
  type Checkpoints,
  scheduleCheckpoints
} from "./checkpoint/mod.ts"
import { Journal, type OnCommits } from "./log/mod.ts"
import { directoryError, JournalError } from "./files/mod.ts"
import { recordedStores } from "./recorded_stores.ts"

/** The network, the bounds of the recommended fee, and the data directory. */
export interface JournalOptions extends LedgerOptions, CheckpointOptions {
  /** Created if it is missing. One process at a time can open it. */
  readonly directory: string
  /**
   * Called several times a second while the journal is read. Counts records: those in the checkpoint
   * by the share of it that was read, then those behind it.
   */
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * The open journal of `journaledStores`.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { mkdtempSync, rmSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { journaledStores, JournalStores } from "rollup-node-api/journal"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const directory = mkdtempSync(join(tmpdir(), "rollup-node-"))
 * const stores = journaledStores({ directory, genesis: simulate({ seed: 1 }).genesis })
 * const lines = Effect.map(JournalStores, ({ feedLines }) => feedLines().next())
 * const { value: genesisLine } = await Effect.runPromise(Effect.provide(lines, stores))
 * console.log(genesisLine?.slice(0, 17)) // => {"kind":"genesis"
 * rmSync(directory, { recursive: true })
 * ```
 */
export class JournalStores extends Context.Service<JournalStores, {
  readonly directory: string
  /** The replay when the directory was opened. */
  readonly replayReport: ReplayReport
  /** Waits for the final failure of the journal. After it, every read and write fails. */
  readonly failed: Effect.Effect<never, StoreFailure>
  /**
   * Returns the feed of the ledger so far: the genesis, then every record, including rolled back
   * blocks. Lines have no line feed.
   */
  readonly feedLines: () => Iterator<string>
  /**
   * Writes a checkpoint now: the state of the stores, so that a start does not replay the records
   * before it. Fails if it cannot be written; the stores go on without it.
   */
  readonly checkpoint: Effect.Effect<CheckpointReport, StoreFailure>
  /** Limits the database to `pagesMax` pages of 4096 bytes. Then writes fail as on a full disk. */
  readonly limitPages: (pagesMax: number) => void
}>()("rollup/journal/JournalStores") {}

/**
 * Returns a layer with stores in memory and a journal of their accepted writes. A write is on
 * disk before its answer, and opening the directory again restores it. Fails with a `JournalError`
 * if the directory cannot be used, is in use, belongs to another network or is damaged.
 *
 * While the disk is full, writes fail with a `StoreFailure` that has `retry`, and reads return what
 * is on disk. If the disk fails, or if the directory is renamed, removed or replaced, every read and
 * write fails without `retry`.
 *
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { mkdtempSync, rmSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { Ledger } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { journaledStores, JournalStores } from "rollup-node-api/journal"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const simulation = simulate({ seed: 1 })
 * const { genesis } = simulation
 * const directory = mkdtempSync(join(tmpdir(), "rollup-node-"))
 * const stores = journaledStores({ directory, genesis })
 * const write = Effect.flatMap(Ledger, (ledger) => ledger.applyRecord(simulation.next()))
 * const node = Layer.provide(Ledger.layer(genesis, keccak256), stores)
 * await Effect.runPromise(Effect.provide(write, node))
 *
 * // a second opening reads the record from the checkpoint of the first
 * const reopened = Effect.map(JournalStores, ({ replayReport }) => replayReport.checkpointSeq)
 * console.log(await Effect.runPromise(Effect.provide(reopened, stores))) // => 1
 * rmSync(directory, { recursive: true })
 * ```
 */
export const journaledStores = (
  { directory, onProgress, ...options }: JournalOptions
): Layer.Layer<
  JournalStores | LedgerHistory | LedgerReader | LedgerWriter | PoolStore,
  JournalError
> =>
  Layer.effectContext(Effect.gen(function*() {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const failed = Deferred.makeUnsafe<never, StoreFailure>()
    const journal = yield* openJournal(directory, options.genesis, (failure) => {
      run(
        failure === undefined
          ? Effect.log(`The journal in "${directory}" is written again: writes are accepted`)
          : Effect.logError(failure.message)
      )
      if (failure?.retry === false) Deferred.doneUnsafe(failed, Effect.fail(failure))
    })
    const [ledger, pool] = [openMemoryLedger(options), openMemoryPool()]
    let checkpoints: Checkpoints | undefined
    yield* checkHealth("journal", Effect.sync(() => healthOf(journal, checkpoints?.problem())))
    yield* measure(counter(
      "rollup_journal_failed_commits_total",
      "Commits of the journal that failed, such as on a full disk",
      () => journal.failedCommits
    ))
    const { report: replayReport, restored } = yield* replay(
      journal,
      { genesis: options.genesis, ledger, pool },
      onProgress
    )
    yield* tryOpen(directory, () => journal.startWriting())
    const capture = () => ({ ledger: ledger.capture(), pool: pool.capture() })
    checkpoints = yield* scheduleCheckpoints(journal, { capture, pool }, restored, options)
    const { keepUp } = checkpoints
    const stores = recordedStores({ ledger, pool, log: journal })
    const writer = Context.get(stores, LedgerWriter)
    return Context.make(JournalStores, {
      directory,
      replayReport,
      failed: Deferred.await(failed),
      feedLines: () => journal.feedLines(),
      checkpoint: checkpoints.write,
      limitPages: (pagesMax) => journal.limitPages(pagesMax)
    }).pipe(
      Context.merge(stores),
      Context.add(LedgerWriter, {
        ...writer,
        apply: (block, decide) => Effect.andThen(keepUp, writer.apply(block, decide))
      }),
      Context.add(StoreDescription, {
        version: `SQLite ${process.versions.sqlite}`,
        lastMigration: null
      })
    )
  }))

const healthOf = (
  { directory, failure, refusal }: Journal,
  problem: string | undefined
): Health =>
  failure !== undefined
    ? { state: "failing", detail: failure.message }
    : refusal !== undefined
    ? { state: "degraded", detail: refusal.message }
    : problem !== undefined
    ? {
      state: "degraded",
      detail: `${problem}; accepted writes are on disk, and the journal grows`
    }
    : { state: "ok", detail: `Accepted writes are on disk in ${directory}` }

/**
 * Returns the lines of the feed of a directory, for import into another store: the genesis, then
 * every record, including rolled back blocks. The directory is open until the scope closes. Fails
 * with a `JournalError` if it cannot be opened; the iteration throws one if a record is damaged.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { mkdtempSync, rmSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { exportFeed, journaledStores } from "rollup-node-api/journal"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const directory = mkdtempSync(join(tmpdir(), "rollup-node-"))
 * const { genesis } = simulate({ seed: 1 })
 * await Effect.runPromise(Effect.provide(Effect.void, journaledStores({ directory, genesis })))
 * const lines = Effect.map(exportFeed(directory), (feed) => [...feed])
 * console.log((await Effect.runPromise(Effect.scoped(lines))).length) // => 1
 * rmSync(directory, { recursive: true })
 * ```
 */
export const exportFeed = (directory: string) =>
  Effect.map(openJournal(directory, null), (journal) => checkedFeedLines(journal))

function* checkedFeedLines(journal: Journal): Generator<string, void> {
  yield journal.genesisLine
  for (const lines of journal.archivedLines()) yield* lines
  for (const { kind, text } of journal.replay()) if (kind === "ledger") yield text
}

/** Opens the journal of a directory until the scope closes. If `genesis` is null, it must exist. */
export const openJournal = (
  directory: string,
  genesis: GenesisFeed | null,
  onCommits?: OnCommits
) =>
  Effect.acquireRelease(
    tryOpen(directory, () => new Journal(directory, genesis, onCommits)),
    (journal) => Effect.sync(() => journal.close())
  )

const tryOpen = <A>(directory: string, open: () => A): Effect.Effect<A, JournalError> =>
  Effect.try({
    try: open,
    catch: (error) =>
      error instanceof JournalError
        ? error
        : directoryError(directory, error instanceof Error ? error.message : String(error), error)
  })
