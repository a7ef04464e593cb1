import { assert } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { createHash } from "node:crypto"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import {
  type JournalError,
  type JournalOptions,
  JournalStores,
  journaledStores
} from "../../adapters/journal/mod.ts"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import type { FeedRecord, GenesisFeed } from "../../core/domain/mod.ts"
import { LedgerHistory, LedgerReader, LedgerWriter, PoolStore } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { rememberedExitTrees } from "../derived/_stripped.ts"
import { memoryDirectory } from "../postgres/memory_directory.ts"
import { dumpStores, noKeys, type Stores, trackKeys } from "./_store_dump.ts"

/**
 * An empty directory that is removed with the scope. It is in memory if possible: only a loss of
 * power would show a difference to a disk, and no test simulates that here.
 */
export const temporaryDirectory: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(memoryDirectory(), "journal-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** Returns a small network with rollbacks, whose records have about so many transactions. */
export const smallNetwork = (
  seed: string,
  transactions = 120
): { readonly genesis: GenesisFeed; readonly records: ReadonlyArray<FeedRecord> } => {
  const simulation = simulate({
    seed,
    users: 12,
    tokens: 3,
    transactionsPerBlock: 4,
    rollBackPeriodBlocks: 9,
    placeholderRoots: true
  })
  return {
    genesis: simulation.genesis,
    records: [...initialHistory(simulation, transactions)]
  }
}

/**
 * Returns times and digests of all files of a directory by their paths, and its folders; undefined
 * if it is missing.
 */
export const filesIn = (directory: string): ReadonlyMap<string, string> | undefined =>
  existsSync(directory)
    ? new Map(
      readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) => {
        const path = join(entry.parentPath, entry.name)
        if (!entry.isFile()) return [path, "folder"]
        const digest = createHash("sha256").update(readFileSync(path)).digest("hex")
        return [path, `${statSync(path).mtimeMs} ${digest}`]
      })
    )
    : undefined

/** Stores with a history. */
export interface JournaledStores extends Stores {
  readonly history: LedgerHistory["Service"]
}

export interface OpenedStores extends JournaledStores {
  readonly journal: JournalStores["Service"]
}

/** Opens the stores of a directory until the scope closes; closing writes no checkpoint. */
export const openStores = (
  directory: string,
  genesis: GenesisFeed,
  options: Partial<JournalOptions> = {}
): Effect.Effect<OpenedStores, JournalError, Scope.Scope> =>
  Effect.map(
    Layer.build(Layer.fresh(journaledStores({ directory, genesis, closingMs: 0, ...options }))),
    (services) => ({
      reader: Context.get(services, LedgerReader),
      history: Context.get(services, LedgerHistory),
      writer: Context.get(services, LedgerWriter),
      store: Context.get(services, PoolStore),
      journal: Context.get(services, JournalStores)
    })
  )

/** Opens the ledger use case over stores until the scope closes. */
export const ledgerOver = (
  genesis: GenesisFeed,
  { writer }: Pick<Stores, "writer">
): Effect.Effect<Ledger["Service"], never, Scope.Scope> =>
  Effect.map(
    Layer.build(
      Layer.fresh(
        Ledger.layer(genesis, keccak256, { buildExitTrees: rememberedExitTrees }).pipe(
          Layer.provide(Layer.succeed(LedgerWriter, writer))
        )
      )
    ),
    (services) => Context.get(services, Ledger)
  )

/** Applies records to stores. */
export const applyRecords = (
  genesis: GenesisFeed,
  stores: Pick<Stores, "writer">,
  records: ReadonlyArray<FeedRecord>
) =>
  Effect.scoped(
    Effect.flatMap(
      ledgerOver(genesis, stores),
      (ledger) => Effect.forEach(records, (record) => ledger.applyRecord(record), { discard: true })
    )
  )

/** Opens a directory, and returns its content. */
export const contentIn = (directory: string, genesis: GenesisFeed) =>
  Effect.scoped(
    Effect.flatMap(openStores(directory, genesis), (stores) => dumpStores(stores, noKeys()))
  )

/**
 * Opens stores in a new directory. When the scope closes, they are opened again, and their content
 * must be the same. With a period, a checkpoint is written after each `checkpointPeriod` writes.
 */
export const reopenedStores = (
  genesis: GenesisFeed,
  { checkpointPeriod = Infinity } = {}
): Effect.Effect<JournaledStores, never, Scope.Scope> =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const keys = noKeys()
    const scope = yield* Scope.make()
    const stores = yield* Effect.orDie(Scope.provide(openStores(directory, genesis), scope))
    yield* Effect.addFinalizer(() =>
      Effect.gen(function*() {
        const before = yield* dumpStores(stores, keys)
        const rollBacks = yield* rollBacksOf(stores)
        yield* Scope.close(scope, Exit.void)
        const [after, rollBacksAfter] = yield* Effect.orDie(
          Effect.scoped(
            Effect.flatMap(
              openStores(directory, genesis),
              (reopened) => Effect.all([dumpStores(reopened, keys), rollBacksOf(reopened)])
            )
          )
        )
        assert.strictEqual(after, before, "The content of the stores after a restart")
        assert.deepStrictEqual(rollBacksAfter, rollBacks)
      })
    )
    return trackKeys(withCheckpoints(stores, checkpointPeriod), keys)
  })

const rollBacksOf = ({ history }: JournaledStores) =>
  Effect.orDie(history.rollBacks({ afterVersion: 0, limit: 1e6 }))

/** Returns the same stores, which write a checkpoint after each `period` writes. */
const withCheckpoints = (stores: OpenedStores, period: number): JournaledStores => {
  let writes = 0
  const counted = <A, E, R>(write: Effect.Effect<A, E, R>) =>
    Effect.tap(
      write,
      () => ++writes % period === 0 ? Effect.orDie(stores.journal.checkpoint) : Effect.void
    )
  const { history, reader, store, writer } = stores
  return {
    reader,
    history,
    writer: {
      apply: (block, decide) => counted(writer.apply(block, decide)),
      rollBack: (toBlock, check) => counted(writer.rollBack(toBlock, check)),
      setPrices: (prices, check) => counted(writer.setPrices(prices, check)),
      setHead: (head, check) => counted(writer.setHead(head, check))
    },
    store: {
      ...store,
      addTransaction: (...write) => counted(store.addTransaction(...write)),
      addGroup: (...write) => counted(store.addGroup(...write)),
      replaceTransaction: (...write) => counted(store.replaceTransaction(...write)),
      addAuthorization: (...write) => counted(store.addAuthorization(...write)),
      change: (...write) => counted(store.change(...write)),
      reconcile: (...write) => counted(store.reconcile(...write)),
      skip: (...write) => counted(store.skip(...write))
    }
  }
}
