import { Effect, Layer, type Redacted } from "effect"
import { resolve } from "node:path"
import { type FeedRecord, type GenesisFeed, LedgerReader } from "../core/mod.ts"
import { memoryStores, type Stores } from "./layers.ts"
import { newRecords, recordsBehind } from "./resumed_feed.ts"

/** Where a node keeps its data. */
export type DataPlace =
  | { readonly kind: "memory" }
  | { readonly kind: "directory"; readonly directory: string }
  | { readonly kind: "database"; readonly url: Redacted.Redacted; readonly replicaUrl?: Redacted.Redacted }

/** The stores of a place. */
export interface OpenStores {
  readonly stores: Layer.Layer<Stores>
  /** Those records of a feed that the ledger was not told before. */
  readonly newOf: (records: AsyncIterable<FeedRecord>) => AsyncIterable<FeedRecord>
}

/** Opens the stores of a place for as long as the scope lives, and tells what was found there. */
export const openStores = (place: DataPlace, genesis: GenesisFeed) => {
  switch (place.kind) {
    case "memory":
      return Effect.as(Effect.log("Nothing is kept: all data are in memory"), inMemory(genesis))
    case "directory":
      return inDirectory(resolve(place.directory), genesis)
    case "database":
      return inDatabase(place, genesis)
  }
}

const inMemory = (genesis: GenesisFeed): OpenStores => ({ stores: memoryStores({ genesis }), newOf: (records) => records })

/** The client is loaded only where it is needed. Another process may write this ledger: ours takes over when that one ends. */
const inDatabase = ({ replicaUrl, url }: DataPlace & { readonly kind: "database" }, genesis: GenesisFeed) =>
  Effect.gen(function*() {
    const { sqlStores } = yield* Effect.promise(() => import("../adapters/sql/mod.ts"))
    const context = yield* Layer.build(sqlStores({ url, genesis, lease: { waits: true }, ...replicaUrl === undefined ? {} : { replicaUrl } }))
    yield* Effect.provide(Effect.gen(function*() {
      const { counts: { totalItems }, stamp: { batchNum, ethereumBlockNum } } = yield* Effect.orDie((yield* LedgerReader).list("transactions", { filters: {}, limit: 1 }))
      yield* Effect.log(`Data in the database: Ethereum block ${ethereumBlockNum}, batch ${batchNum ?? 0}, ${totalItems} transactions`)
    }), context)
    return { stores: Layer.succeedContext(context), newOf: (records) => recordsBehind(records, genesis, context) } satisfies OpenStores
  })

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
    return { stores: Layer.succeedContext(context), newOf: (records) => newRecords(records, feedLines()) } satisfies OpenStores
  })
