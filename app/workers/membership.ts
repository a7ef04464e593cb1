import type { Context, Layer } from "effect"
import type { GenesisFeed, LedgerReader, LedgerWriter, PoolStore, Submission } from "../../core/mod.ts"
import type { Channel } from "./_channel.ts"

/** How a process belongs to its group. */
export interface Sharing {
  readonly channel: Channel
  /** Names the ledger to clients. */
  readonly group: string
}

/** What a process serves that does not write. */
export interface Follower {
  readonly genesis: GenesisFeed
  readonly layer: Layer.Layer<LedgerReader | PoolStore | Submission>
}

export interface FollowerOptions extends Sharing {
  /** The bounds of the recommended fee, which the network does not say. */
  readonly fees: Omit<MemoryOptions, "genesis">
}

/** Stores in memory that others follow. */
export interface SharedMemory {
  readonly context: Context.Context<LedgerReader | LedgerWriter | PoolStore>
  /** Whether there was another writer before. */
  readonly isResumed: boolean
}

export interface MemoryOptions {
  readonly genesis: GenesisFeed
  readonly minFeeUSD?: number
  readonly maxFeeUSD?: number
}
