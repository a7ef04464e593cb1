import { Context, Effect, Exit, Layer, Scope } from "effect"
import { nodeOver } from "../../app/node/layers.ts"
import { type SourceSettings, sourceOf } from "../../app/sources/block_source.ts"
import { openStores } from "../../app/sources/stores.ts"
import { LedgerReader, PoolStore } from "../../core/ports/mod.ts"

/** A simulated network with a block every 50 ms. */
export const network: SourceSettings = {
  seed: "1",
  transactions: 20,
  transactionsMax: 100_000,
  paceSeconds: 0.05,
  prefix: "rollup",
  empty: false,
  feed: undefined
}

/**
 * Runs a process with a source of blocks over a database, without its interface, until the scope
 * closes. `end` closes it earlier, in an orderly way.
 */
export const startProcess = Effect.fnUntraced(function*(url: string, settings: SourceSettings) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const source = yield* sourceOf(settings)
  const { genesis } = source
  const stores = yield* Scope.provide(
    openStores({ database: url, lease: { waits: true } }, { genesis }),
    scope
  )
  const node = yield* Layer.buildWithScope(nodeOver(stores.stores, { genesis }), scope)
  yield* Effect.forkIn(Scope.provide(Effect.provide(source.start(stores), node), scope), scope)
  const reader = Context.get(node, LedgerReader)
  return {
    reader,
    pool: Context.get(node, PoolStore),
    block: Effect.map(reader.snapshotId, ({ ethereumBlockNum }) => ethereumBlockNum),
    end: Scope.close(scope, Exit.void)
  }
})

/** Waits until a condition holds. */
export const until = <E>(holds: Effect.Effect<boolean, E>): Effect.Effect<void, E> =>
  Effect.flatMap(holds, (is) => is ? Effect.void : Effect.delay(until(holds), 50))
