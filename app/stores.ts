import { Effect, Layer } from "effect"
import { resolve } from "node:path"
import { type GenesisFeed, LedgerReader } from "../core/mod.ts"
import { memoryStores, type Stores } from "./layers.ts"

/** Where a node keeps its data: a directory, or null for nowhere. */
export type DataPlace = { readonly directory: string } | null

/** The stores of a place, and the feed that their ledger was told before: empty where nothing is kept. */
export interface OpenStores {
  readonly stores: Layer.Layer<Stores>
  /** Lines of NDJSON, the genesis first. */
  readonly feedLines: () => Iterator<string>
}

/** Opens the stores of a place for as long as the scope lives, and tells what was found there. */
export const openStores = (place: DataPlace, genesis: GenesisFeed) =>
  place === null ? Effect.as(Effect.log("Nothing is kept: all data are in memory"), inMemory(genesis)) : inDirectory(resolve(place.directory), genesis)

const inMemory = (genesis: GenesisFeed): OpenStores => ({ stores: memoryStores({ genesis }), feedLines: () => [][Symbol.iterator]() })

/** SQLite is loaded only where it is needed. */
const inDirectory = (directory: string, genesis: GenesisFeed) =>
  Effect.gen(function*() {
    const { JournalStores, journaledStores } = yield* Effect.promise(() => import("../adapters/journal/mod.ts"))
    const context = yield* Layer.build(journaledStores({ directory, genesis }))
    yield* Effect.provide(Effect.gen(function*() {
      const { found: { durationMs, records } } = yield* JournalStores
      const { batchNum, ethereumBlockNum } = yield* Effect.orDie((yield* LedgerReader).stamp)
      const { counts: { totalItems } } = yield* Effect.orDie((yield* LedgerReader).list("transactions", { filters: {}, limit: 1 }))
      yield* Effect.log(records === 0
        ? `Data in ${directory}: nothing yet`
        : `Data in ${directory}: Ethereum block ${ethereumBlockNum}, batch ${batchNum ?? 0}, ${totalItems} transactions, read from ${records} records in ${(durationMs / 1000).toFixed(1)} s`)
    }), context)
    const { feedLines } = yield* Effect.provide(JournalStores, context)
    return { stores: Layer.succeedContext(context), feedLines } satisfies OpenStores
  })
