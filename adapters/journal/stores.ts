import { Context, Effect, Layer } from "effect"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import {
  checkHealth,
  type Health,
  type LedgerReader,
  type LedgerWriter,
  type PoolStore,
  type StoreFailure
} from "../../core/ports/mod.ts"
import { type LedgerOptions, openMemoryLedger, openMemoryPool } from "../memory/mod.ts"
import { replay, type ReplayReport } from "./_replay.ts"
import { Journal } from "./journal.ts"
import { JournalError } from "./journal_error.ts"
import { recordedStores } from "./recorded_stores.ts"

/** The network, the bounds of the recommended fee, and the data directory. */
export interface JournalOptions extends LedgerOptions {
  /** Created if it is missing. One process at a time can open it. */
  readonly directory: string
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
 * const lines = Effect.map(JournalStores, ({ feedLines }) => [...feedLines()])
 * const [genesisLine] = await Effect.runPromise(Effect.provide(lines, stores))
 * console.log(genesisLine?.slice(0, 17)) // => {"kind":"genesis"
 * rmSync(directory, { recursive: true })
 * ```
 */
export class JournalStores extends Context.Service<JournalStores, {
  readonly directory: string
  /** The replay when the directory was opened. */
  readonly replayReport: ReplayReport
  /**
   * Returns the feed of the ledger so far: the genesis, then every record, including rolled back
   * blocks. Lines have no line feed.
   */
  readonly feedLines: () => Iterator<string>
  /** Limits the database to `pagesMax` pages of 4096 bytes. Then writes fail as on a full disk. */
  readonly limitPages: (pagesMax: number) => void
}>()("rollup/journal/JournalStores") {}

/**
 * Returns a layer with stores in memory and a journal of their accepted writes. A write is on
 * disk before its answer, and opening the directory again restores it. Fails with a `JournalError`
 * if the directory cannot be used, is in use, belongs to another network or is damaged. If the disk
 * fails later, every read and write fails with a `StoreFailure`.
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
 * // a second opening replays the record
 * const reopened = Effect.map(JournalStores, ({ replayReport }) => replayReport.records)
 * console.log(await Effect.runPromise(Effect.provide(reopened, stores))) // => 1
 * rmSync(directory, { recursive: true })
 * ```
 */
export const journaledStores = (
  { directory, ...options }: JournalOptions
): Layer.Layer<JournalStores | LedgerReader | LedgerWriter | PoolStore, JournalError> =>
  Layer.effectContext(Effect.gen(function*() {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const journal = yield* openJournal(
      directory,
      options.genesis,
      ({ message }) => void run(Effect.logError(message))
    )
    const [ledger, pool] = [openMemoryLedger(options), openMemoryPool()]
    yield* checkHealth("journal", Effect.sync(() => healthOf(journal)))
    const replayReport = yield* replay(journal, { genesis: options.genesis, ledger, pool })
    return Context.make(JournalStores, {
      directory,
      replayReport,
      feedLines: () => journal.feedLines(),
      limitPages: (pagesMax) => journal.limitPages(pagesMax)
    }).pipe(
      Context.merge(recordedStores({ ledger, pool, log: journal }))
    )
  }))

const healthOf = ({ directory, failure }: Journal): Health =>
  failure === undefined
    ? { state: "ok", detail: `Accepted writes are on disk in ${directory}` }
    : {
      state: "degraded",
      detail:
        `${failure.message}: no write is accepted any more; check the disk and restart the program`
    }

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
  for (const { kind, text } of journal.replay()) if (kind === "ledger") yield text
}

/** Opens the journal of a directory until the scope closes. If `genesis` is null, it must exist. */
export const openJournal = (
  directory: string,
  genesis: GenesisFeed | null,
  onFailure?: (failure: StoreFailure) => void
) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => new Journal(directory, genesis, onFailure),
      catch: (error) =>
        error instanceof JournalError ? error : new JournalError({
          reason: "directory",
          cause: error,
          message: `Directory "${directory}" cannot be used: ${
            error instanceof Error ? error.message : String(error)
          }`
        })
    }),
    (journal) => Effect.sync(() => journal.close())
  )
