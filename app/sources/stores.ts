import { Context, Effect, Layer, Option, Redacted } from "effect"
import { resolve } from "node:path"
import type { JournalOptions } from "../../adapters/journal/mod.ts"
import { type FeedRecord, LedgerReader, type StoreFailure } from "../../core/mod.ts"
import {
  type ConnectionOptions,
  connectionOptions,
  type ResolvedOptions,
  type settings
} from "../config/mod.ts"
import { type NodeStore, type StoreOptions, type Stores, storesLayer } from "../node/mod.ts"
import { skipStored } from "./resumed_feed.ts"

/** The location of a node's data. */
export type DataLocation =
  | { readonly kind: "memory" }
  | {
    readonly kind: "directory"
    readonly directory: string
    /** Options of the journal that are not its defaults. */
    readonly checkpoints?: Pick<JournalOptions, "checkpointBytes" | "poolHistoryMs">
  }
  | {
    readonly kind: "database"
    readonly url: Redacted.Redacted
    readonly replicaUrl?: Redacted.Redacted
    readonly connections: ConnectionOptions
  }

type LocationSettings = ResolvedOptions<
  & typeof settings.storage
  & typeof settings.checkpoints
  & typeof settings.database
  & typeof settings.replica
  & typeof settings.connections
>

/**
 * Returns the data location that the settings name. `checkServer` has refused contradictory ones.
 */
export const dataLocationOf = (
  { data, database, journalBytesMax, memory, poolHistorySeconds, replica, ...settings }:
    LocationSettings
): DataLocation => {
  if (memory) return { kind: "memory" }
  if (database === undefined) {
    return {
      kind: "directory",
      directory: data,
      checkpoints: {
        checkpointBytes: journalBytesMax,
        poolHistoryMs: poolHistorySeconds * 1000
      }
    }
  }
  return {
    kind: "database",
    url: database,
    ...replica === undefined ? {} : { replicaUrl: replica },
    connections: connectionOptions(settings, { waitSeconds: 60 })
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
  /** Waits for a failure after which the stores answer nothing until the program restarts. */
  readonly failed: Effect.Effect<never, StoreFailure>
}

/** The options of stores. */
export interface OpenOptions extends StoreOptions {
  /** Called several times a second while a data directory is read. */
  readonly onProgress?: (done: number, total: number) => void
}

/** Opens the stores for the lifetime of the scope, and logs their last block. */
export const openStores = (location: DataLocation, { onProgress, ...options }: OpenOptions) =>
  Effect.gen(function*() {
    const store = storeOf(location)
    const context = yield* Layer.build(
      storesLayer("directory" in store && onProgress ? { ...store, onProgress } : store, options)
    )
    const stores = Layer.succeedContext(context)
    const opened: OpenStores = {
      stores,
      skipStored: (records) => records,
      isShared: false,
      failed: Effect.never
    }
    switch (location.kind) {
      case "memory":
        yield* Effect.log("All data are in memory and are lost when the program exits")
        return opened
      case "database":
        yield* Effect.log(`Data in the database: ${yield* contentOf(context)}`)
        return { ...opened, isShared: true }
      case "directory": {
        const { JournalStores } = yield* Effect.promise(() =>
          import("../../adapters/journal/mod.ts")
        )
        const {
          directory,
          failed,
          feedLines,
          replayReport: { checkpointSeq, durationMs, records }
        } = Option.getOrThrow(
          yield* Effect.provide(Effect.serviceOption(JournalStores), context)
        )
        const seconds = (durationMs / 1000).toFixed(1)
        yield* Effect.log(
          checkpointSeq + records === 0
            ? `Data in ${directory}: empty`
            : `Data in ${directory}: ${yield* contentOf(
              context
            )}, read from ${
              checkpointSeq === 0 ? "" : "a checkpoint and "
            }${records} records in ${seconds} s`
        )
        return { ...opened, failed, skipStored: (records) => skipStored(records, feedLines()) }
      }
    }
  })

const storeOf = (location: DataLocation): NodeStore => {
  switch (location.kind) {
    case "memory":
      return { memory: true }
    case "directory":
      return { ...location.checkpoints, directory: resolve(location.directory) }
    case "database":
      return {
        database: Redacted.value(location.url),
        ...location.connections,
        // another process may be the writer: this one takes over when that process ends
        lease: { waits: true },
        ...location.replicaUrl === undefined
          ? {}
          : { replica: Redacted.value(location.replicaUrl) }
      }
  }
}

const contentOf = (context: Context.Context<LedgerReader>) =>
  Effect.map(
    Effect.orDie(
      Context.get(context, LedgerReader).list("transactions", { filters: {}, limit: 1 })
    ),
    ({ counts: { totalItems }, stamp: { batchNum, ethereumBlockNum } }) =>
      `Ethereum block ${ethereumBlockNum}, batch ${batchNum ?? 0}, ${totalItems} transactions`
  )
