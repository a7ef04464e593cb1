import type { HeadFeed } from "./feed.ts"
import type { Batch } from "./history.ts"
import type { Coordinator } from "./slot.ts"
import type { NetworkVariables } from "./parameters.ts"

/** The forger of a slot, and the period of the slot. */
export interface NextForger {
  readonly coordinator: Coordinator
  readonly period: {
    readonly slotNum: number
    readonly fromBlock: bigint
    readonly toBlock: bigint
    /**
     * Estimate: 15 seconds a block from the last one, from 1970 to the end of the year 9999.
     * Milliseconds since 1970.
     */
    readonly fromTimestampMs: number
    readonly toTimestampMs: number
  }
}

/**
 * Averages over the batches of a window that ends at the last block: 24 hours, or since the genesis
 * block if that is less.
 */
export interface Metrics {
  readonly transactionsPerBatch: number
  /** Seconds from one batch to the next; 0 if there are fewer than two: unknown. */
  readonly batchFrequency: number
  /** Transactions divided by the seconds of the window. */
  readonly transactionsPerSecond: number
  readonly totalAccounts: number
  readonly totalPublicKeys: number
  /** US dollars for each L2 transaction. */
  readonly avgTransactionFee: number
  /** Seconds from the block that queued an L1 user transaction to the block that forged it. */
  readonly estimatedTimeToForgeL1: number
}

/** US dollars. */
export interface RecommendedFee {
  readonly existingAccount: number
  readonly createAccount: number
  readonly createAccountInternal: number
}

/** The state of the network at one version of the ledger. */
export interface NetworkState {
  /**
   * Newest block of the chain that the writer knows of. A node is behind if it is above
   * `lastSynchedBlock`.
   */
  readonly lastEthereumBlock: bigint
  /** Newest block that the writer has read: the head if it is above the last stored block. */
  readonly lastSynchedBlock: bigint
  readonly lastBatch: Batch | null
  readonly currentSlot: number
  readonly nextForgers: ReadonlyArray<NextForger>
  /** L1 user transactions in queues. */
  readonly pendingL1Transactions: number
  readonly metrics: Metrics
  readonly variables: NetworkVariables
  readonly recommendedFee: RecommendedFee
}

/** The part of the state that is not in the ledger. */
export interface NodeStatus {
  /** Seconds that the coordinator waits between two batches. */
  readonly forgeDelaySeconds: number
  /** Pending transactions in the pool. */
  readonly poolLoad: number
}

/** The state as a revision shows it; `node` is null in revisions without it. */
export interface StateView extends NetworkState {
  readonly node: NodeStatus | null
}

/**
 * Returns the newest block of the chain that the writer knows of, from the value that the blocks of
 * the ledger state, and the head. Without a head, the value of the blocks never decreases; a new head
 * replaces what the former one stated.
 *
 * @example
 * ```ts
 * import { newestEthereumBlock } from "rollup-node-api"
 *
 * console.log(newestEthereumBlock(18000000n, null)) // => 18000000n
 * console.log(newestEthereumBlock(18000000n, { chainHead: 18000009n })) // => 18000009n
 * ```
 */
export const newestEthereumBlock = (
  lastEthereumBlock: bigint,
  head: Pick<HeadFeed, "chainHead"> | null
): bigint =>
  head !== null && head.chainHead > lastEthereumBlock ? head.chainHead : lastEthereumBlock
