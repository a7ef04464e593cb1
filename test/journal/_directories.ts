import { assert } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import {
  type JournalError,
  type JournalOptions,
  JournalStores,
  journaledStores
} from "../../adapters/journal/mod.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
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
