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

export interface JournalOptions extends LedgerOptions {
  /** Created where it is missing. One process at a time holds it. */
  readonly directory: string
}

/** What stands behind journaled stores. */
export class JournalStores extends Context.Service<JournalStores, {
  readonly directory: string
  /** What was found when it was opened. */
  readonly found: ReplayReport
  /** The feed that the ledger was told until now: the genesis first, each line without its line feed. */
  readonly feedLines: () => Iterator<string>
  /** Lets the database grow to so many pages of 4096 bytes and no further: writes beyond fail as on a full disk. */
  readonly limitPages: (pagesMax: number) => void
}>()("rollup/journal/JournalStores") {}

/**
 * The stores in memory, behind a journal of what they accepted: an acknowledged write is on disk before its answer, and a later start
 * finds everything again. Fails where the directory cannot be used, is in use, holds another network or is damaged.
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
    const found = yield* replay(journal, { genesis: options.genesis, ledger, pool })
    return Context.make(JournalStores, {
      directory,
      found,
      feedLines: () => journal.feedLines(),
      limitPages: (pagesMax) => journal.limitPages(pagesMax)
    }).pipe(
      Context.merge(recordedStores({ ledger, pool, log: journal }))
    )
  }))

/** Without its journal a process still reads, and takes nothing in. */
const healthOf = ({ directory, failure }: Journal): Health =>
  failure === undefined
    ? { state: "ok", detail: `What is accepted is on disk in ${directory}` }
    : {
      state: "degraded",
      detail:
        `${failure.message}: nothing is accepted any more; see to the disk and start the program again`
    }

/** The feed of a directory that nobody uses, the genesis first: what another store ingests to take over. Stops where the journal is damaged. */
export const exportFeed = (directory: string) =>
  Effect.map(openJournal(directory, null), (journal) => exported(journal))

function* exported(journal: Journal): Generator<string, void> {
  yield journal.genesisLine
  for (const { kind, text } of journal.replay()) if (kind === "ledger") yield text
}

/** Holds the journal of a directory until the scope closes. */
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
