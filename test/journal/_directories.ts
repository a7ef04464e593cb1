import { assert } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type JournalError, JournalStores, journaledStores } from "../../adapters/journal/mod.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { LedgerReader, LedgerWriter, PoolStore } from "../../core/ports/mod.ts"
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

export interface OpenedStores extends Stores {
  readonly journal: JournalStores["Service"]
}

/** Opens the stores of a directory until the scope closes. */
export const openStores = (
  directory: string,
  genesis: GenesisFeed
): Effect.Effect<OpenedStores, JournalError, Scope.Scope> =>
  Effect.map(Layer.build(Layer.fresh(journaledStores({ directory, genesis }))), (services) => ({
    reader: Context.get(services, LedgerReader),
    writer: Context.get(services, LedgerWriter),
    store: Context.get(services, PoolStore),
    journal: Context.get(services, JournalStores)
  }))

/**
 * Opens stores in a new directory. When the scope closes, they are opened again, and their content
 * must be the same.
 */
export const reopenedStores = (genesis: GenesisFeed): Effect.Effect<Stores, never, Scope.Scope> =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const keys = noKeys()
    const scope = yield* Scope.make()
    const stores = yield* Effect.orDie(Scope.provide(openStores(directory, genesis), scope))
    yield* Effect.addFinalizer(() =>
      Effect.gen(function*() {
        const before = yield* dumpStores(stores, keys)
        yield* Scope.close(scope, Exit.void)
        const after = yield* Effect.orDie(
          Effect.scoped(
            Effect.flatMap(openStores(directory, genesis), (reopened) => dumpStores(reopened, keys))
          )
        )
        assert.strictEqual(after, before, "The content of the stores after a restart")
      })
    )
    return trackKeys(stores, keys)
  })
