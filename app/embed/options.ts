import type { ServerLimits } from "../../adapters/http/node/mod.ts"
import type { CurrencyPrice, GenesisFeed, Monitor } from "../../core/mod.ts"
import type { NodeOptions, NodeStore } from "../node/mod.ts"

/** A line of the log of a node. */
export interface LogEntry {
  readonly level: "info" | "warn" | "error"
  readonly message: string
  /** The error that the message is about, if there is one. */
  readonly cause?: unknown
}

/** Options of an embedded node. All except `genesis` have defaults. */
export interface EmbedOptions
  extends Omit<NodeOptions, "genesis" | "verifier" | "exitTrees" | "verifyStateRoots">
{
  /**
   * The network with its contracts, and the block before the first one: an object of `simulate()`,
   * or a genesis record as `JSON.parse` returns it, such as that of `dist/examples/genesis.json`.
   */
  readonly genesis: GenesisFeed | { readonly kind: string; readonly genesis: object }
  /** Where the data are; in memory by default. */
  readonly store?: NodeStore
  /**
   * Number of worker threads that verify signatures, and whether a thread verifies and derives exit
   * proofs. By default the calling thread does both. Needs Node.
   */
  readonly verifierThreads?: number
  /**
   * Computes the state root of each batch before its block is stored, in a worker thread, and
   * refuses the block if its root differs; false by default. The first block, and each block after
   * another process has written, is rejected with a `StoreFailure` with `retry: true` until the
   * state tree has been built. Needs Node.
   */
  readonly checkStateRoots?: boolean
  /** The prices of currencies that revision `v1` shows; none by default. See `setCurrencies`. */
  readonly currencies?: ReadonlyArray<CurrencyPrice>
  /** Collects metrics, for example one of `openMonitor`; no metrics by default. */
  readonly monitor?: Monitor
  /** Gets the log; by default warnings and errors go to the console. It must not throw. */
  readonly log?: (entry: LogEntry) => void
  /** Stops the opening, for example while the database is unreachable. */
  readonly signal?: AbortSignal
}

/** Where and how to listen. */
export interface ListenOptions {
  /** 0 selects a free port. */
  readonly port: number
  /** The address to listen on; `127.0.0.1` by default, and `0.0.0.0` listens on all. */
  readonly host?: string
  /** Time for answers in progress when the server closes; 5000 by default. */
  readonly shutdownTimeoutMs?: number
  /** Each limit is that of `defaultServerLimits` by default. */
  readonly limits?: Partial<ServerLimits>
}
