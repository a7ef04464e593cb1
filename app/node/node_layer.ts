import { Effect, Layer } from "effect"
import type { JournalError } from "../../adapters/journal/mod.ts"
import type { DatabaseError } from "../../adapters/sql/mod.ts"
import { Pool, type StoreFailure } from "../../core/mod.ts"
import { type NodeChanges, withChanges } from "./changes.ts"
import { type Node, type NodeOptions, nodeOver } from "./layers.ts"
import { type NodeStore, storesLayer } from "./stores.ts"

/** Options of `nodeLayer`. */
export interface NodeLayerOptions extends NodeOptions {
  /** Where the data are; in memory by default. */
  readonly store?: NodeStore
}

/**
 * Returns a whole node as one layer: the stores, the ledger, the pool, the submission, the HTTP
 * application and the changes. Building it updates the schema of a database, replays the journal of
 * a directory, and reconciles the pool. It waits while the database is unreachable. It fails with a
 * `JournalError` or `DatabaseError` if the store cannot be used, and with a `StoreFailure` if a
 * statement fails. An invalid genesis is a defect.
 *
 * ```ts
 * import { Effect, References } from "effect"
 * import { Ledger, LedgerReader } from "rollup-node-api"
 * import { nodeLayer } from "rollup-node-api/embed/effect"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, next } = simulate({ seed: 1 })
 * // the URL of a PostgreSQL database
 * const store = { database: process.env.DATABASE_URL! }
 *
 * const program = Effect.gen(function*() {
 *   const ledger = yield* Ledger
 *   for (let i = 0; i < 3; i++) yield* ledger.applyRecord(next())
 *   return (yield* (yield* LedgerReader).snapshotId).ethereumBlockNum - genesis.block.number
 * })
 * const blocks = await Effect.runPromise(
 *   Effect.provide(program, nodeLayer({ genesis, store })).pipe(
 *     Effect.provideService(References.MinimumLogLevel, "Warn")
 *   )
 * )
 * console.log(blocks) // => 3n
 * ```
 */
export const nodeLayer = (
  { store = { memory: true }, ...options }: NodeLayerOptions
): Layer.Layer<Node | NodeChanges, DatabaseError | JournalError | StoreFailure> => {
  const stores = withChanges(storesLayer(store, options))
  // a process may have stopped between a block and the update of the pool
  return Layer.effectDiscard(Effect.flatMap(Pool, (pool) => pool.reconcile)).pipe(
    Layer.provideMerge(Layer.merge(stores, nodeOver(stores, options)))
  )
}
