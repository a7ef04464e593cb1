import { Effect, Layer, Redacted } from "effect"
import type { JournalError, JournalOptions } from "../../adapters/journal/mod.ts"
import * as Memory from "../../adapters/memory/mod.ts"
import type { DatabaseError, DatabaseOptions, LeaseOptions } from "../../adapters/sql/mod.ts"
import type { StoreFailure } from "../../core/mod.ts"
import { feesOf, type StoreOptions, type Stores } from "./layers.ts"

/** Stores in memory: the data are lost when the node closes. */
export interface MemoryStore {
  readonly memory: true
}

/** Stores in a directory, which one process uses at a time; created if it does not exist. */
export interface DirectoryStore
  extends Pick<JournalOptions, "checkpointBytes" | "closingMs" | "onProgress" | "poolHistoryMs">
{
  readonly directory: string
}

/** Stores in a PostgreSQL database, which any number of processes share. */
export interface DatabaseStore extends Omit<DatabaseOptions, "url"> {
  /** A URL such as `postgresql://user:password@host:5432/database`. */
  readonly database: string
  /** URL of a read replica, which may lag. */
  readonly replica?: string
  /** The lease of the process that writes the ledger. */
  readonly lease?: LeaseOptions
}

/** The stores of a node. */
export type NodeStore = MemoryStore | DirectoryStore | DatabaseStore

/** Returns the stores; the adapters for directories and databases are imported when needed. */
export const storesLayer = (
  store: NodeStore,
  options: StoreOptions
): Layer.Layer<Stores, DatabaseError | JournalError | StoreFailure> => {
  if ("memory" in store) return memoryStores(options)
  const network = { genesis: options.genesis, ...feesOf(options) }
  if ("directory" in store) {
    return Layer.unwrap(Effect.map(
      Effect.promise(() => import("../../adapters/journal/mod.ts")),
      ({ journaledStores }) => journaledStores({ ...store, ...network })
    ))
  }
  const { database, replica, ...connections } = store
  return Layer.unwrap(Effect.map(
    Effect.promise(() => import("../../adapters/sql/mod.ts")),
    ({ sqlStores }) =>
      sqlStores({
        url: Redacted.make(database),
        ...connections,
        ...network,
        ...replica === undefined ? {} : { replicaUrl: Redacted.make(replica) }
      })
  ))
}

/** Returns stores in memory. */
export const memoryStores = ({ genesis, ...options }: StoreOptions): Layer.Layer<Stores> =>
  Layer.merge(Memory.layer(genesis, feesOf(options)), Memory.poolLayer)
