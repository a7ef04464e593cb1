import { Effect, Layer, type Redacted } from "effect"
import { resolve } from "node:path"
import { type FeedRecord, LedgerReader } from "../../core/mod.ts"
import {
  type ConnectionOptions,
  connectionOptions,
  type ResolvedOptions,
  type settings
} from "../config/mod.ts"
import type { StoreOptions, Stores } from "../layers.ts"
import { skipStored } from "./resumed_feed.ts"

/** The location of a node's data. */
export type DataLocation =
  | { readonly kind: "memory" }
  | { readonly kind: "directory"; readonly directory: string }
  | {
    readonly kind: "database"
    readonly url: Redacted.Redacted
    readonly replicaUrl?: Redacted.Redacted
    readonly connections: ConnectionOptions
  }

type LocationSettings = ResolvedOptions<
  & typeof settings.storage
  & typeof settings.database
  & typeof settings.replica
  & typeof settings.connections
>

/**
 * Returns the data location that the settings name. `checkServer` has refused contradictory ones.
 */
export const dataLocationOf = (
  { data, database, memory, replica, ...settings }: LocationSettings
): DataLocation => {
  if (memory) return { kind: "memory" }
  if (database === undefined) return { kind: "directory", directory: data }
  return {
    kind: "database",
    url: database,
    ...replica === undefined ? {} : { replicaUrl: replica },
    connections: connectionOptions(settings)
  }
}

/** Opened stores. */
export interface OpenStores {
  readonly stores: Layer.Layer<Stores>
  /** Skips the records of a feed that are stored already. */
  readonly skipStored: (records: AsyncIterable<FeedRecord>) => AsyncIterable<FeedRecord>
  /**
   * Whether other processes may write the ledger. If so, the records to skip depend on the last
   * block, which is read once this process holds the lease.
   */
  readonly isShared: boolean
}

/** Opens the stores for the lifetime of the scope, and logs their last block. */
export const openStores = (location: DataLocation, options: StoreOptions) => {
  switch (location.kind) {
    case "memory":
      return inMemory(options)
    case "directory":
      return inDirectory(resolve(location.directory), options)
    case "database":
      return inDatabase(location, options)
  }
}

const inMemory = (options: StoreOptions) =>
  Effect.gen(function*() {
    yield* Effect.log("All data are in memory and are lost when the program exits")
    const { memoryStores } = yield* Effect.promise(() => import("../memory_node.ts"))
    return {
      stores: memoryStores(options),
      skipStored: (records) => records,
      isShared: false
    } satisfies OpenStores
  })

/**
 * Imports the PostgreSQL client on demand. Another process may hold the writer lease: this one
 * takes over when that process ends.
 */
const inDatabase = (
  { connections, replicaUrl, url }: DataLocation & { readonly kind: "database" },
  options: StoreOptions
) =>
  Effect.gen(function*() {
    const { sqlStores } = yield* Effect.promise(() => import("../../adapters/sql/mod.ts"))
    const context = yield* Layer.build(
      sqlStores({
        url,
        ...options,
        ...connections,
        lease: { waits: true },
        ...replicaUrl === undefined ? {} : { replicaUrl }
      })
    )
    yield* Effect.provide(
      Effect.gen(function*() {
        const { counts: { totalItems }, stamp: { batchNum, ethereumBlockNum } } = yield* Effect
          .orDie((yield* LedgerReader).list("transactions", { filters: {}, limit: 1 }))
        yield* Effect.log(
          `Data in the database: Ethereum block ${ethereumBlockNum}, batch ${
            batchNum ?? 0
          }, ${totalItems} transactions`
        )
      }),
      context
    )
    return {
      stores: Layer.succeedContext(context),
      skipStored: (records) => records,
      isShared: true
    } satisfies OpenStores
  })

/** Imports the journal adapter, which uses SQLite, on demand. */
const inDirectory = (directory: string, options: StoreOptions) =>
  Effect.gen(function*() {
    const { JournalStores, journaledStores } = yield* Effect.promise(() =>
      import("../../adapters/journal/mod.ts")
    )
    const context = yield* Layer.build(journaledStores({ directory, ...options }))
    yield* Effect.provide(
      Effect.gen(function*() {
        const { replayReport: { durationMs, records } } = yield* JournalStores
        const { batchNum, ethereumBlockNum } = yield* Effect.orDie((yield* LedgerReader).stamp)
        const { counts: { totalItems } } = yield* Effect.orDie(
          (yield* LedgerReader).list("transactions", { filters: {}, limit: 1 })
        )
        yield* Effect.log(
          records === 0
            ? `Data in ${directory}: empty`
            : `Data in ${directory}: Ethereum block ${ethereumBlockNum}, batch ${
              batchNum ?? 0
            }, ${totalItems} transactions, read from ${records} records in ${
              (durationMs / 1000).toFixed(1)
            } s`
        )
      }),
      context
    )
    const { feedLines } = yield* Effect.provide(JournalStores, context)
    return {
      stores: Layer.succeedContext(context),
      skipStored: (records) => skipStored(records, feedLines()),
      isShared: false
    } satisfies OpenStores
  })
