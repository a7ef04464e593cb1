import { Context, Effect, Layer, Option, Redacted } from "effect"
import { resolve } from "node:path"
import { type FeedRecord, LedgerReader, type StoreFailure } from "../../core/mod.ts"
import { connectionOptions, type settings } from "../config/mod.ts"
import { type NodeStore, type StoreOptions, type Stores, storesLayer } from "../node/mod.ts"
import { skipStored } from "./resumed_feed.ts"

/** Returns the store that the settings name. `checkServer` has refused contradictory ones. */
export const storeOf = (settings: settings.ServeSettings): NodeStore => {
  const { data, database, journalBytesMax, memory, poolHistorySeconds, replica } = settings
  if (memory) return { memory }
  if (database === undefined) {
    return {
      directory: resolve(data),
      checkpointBytes: journalBytesMax,
      poolHistoryMs: poolHistorySeconds * 1000
    }
  }
  return {
    database: Redacted.value(database),
    ...connectionOptions(settings, { waitSeconds: 60 }),
    // another process may be the writer: this one takes over when that process ends
    lease: { waits: true },
    ...replica === undefined ? {} : { replica: Redacted.value(replica) }
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

/** Opens the stores for the lifetime of the scope, and logs their last block. */
export const openStores = (store: NodeStore, options: StoreOptions) =>
  Effect.gen(function*() {
    const context = yield* Layer.build(storesLayer(store, options))
    const opened: OpenStores = {
      stores: Layer.succeedContext(context),
      skipStored: (records) => records,
      isShared: "database" in store,
      failed: Effect.never
    }
    if ("memory" in store) {
      yield* Effect.log("All data are in memory and are lost when the program exits")
      return opened
    }
    if ("database" in store) {
      yield* Effect.log(`Data in the database: ${yield* contentOf(context)}`)
      return opened
    }
    const { JournalStores } = yield* Effect.promise(() => import("../../adapters/journal/mod.ts"))
    const { directory, failed, feedLines, replayReport } = Option.getOrThrow(
      yield* Effect.provide(Effect.serviceOption(JournalStores), context)
    )
    const { checkpointSeq, durationMs, records } = replayReport
    yield* Effect.log(
      checkpointSeq + records === 0
        ? `Data in ${directory}: empty`
        : `Data in ${directory}: ${yield* contentOf(context)}, read from ${
          checkpointSeq === 0 ? "" : "a checkpoint and "
        }${records} records in ${(durationMs / 1000).toFixed(1)} s`
    )
    return { ...opened, failed, skipStored: (records) => skipStored(records, feedLines()) }
  })

const contentOf = (context: Context.Context<LedgerReader>) =>
  Effect.map(
    Effect.orDie(
      Context.get(context, LedgerReader).list("transactions", { filters: {}, limit: 1 })
    ),
    ({ counts: { totalItems }, snapshotId: { batchNum, ethereumBlockNum } }) =>
      `Ethereum block ${ethereumBlockNum}, batch ${batchNum ?? 0}, ${totalItems} transactions`
  )
