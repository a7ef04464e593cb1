import { Context, type Effect, type Result } from "effect"
import type {
  Account,
  Bid,
  BlockChanges,
  BlockFeed,
  Coordinator,
  EthereumBlock,
  Exit,
  NetworkVariables,
  HeadFeed,
  PriceFeed,
  Token,
  Transaction
} from "../domain/mod.ts"
import type { AccountIndex, EthereumAddress, PublicKey, TransactionId } from "../encoding/mod.ts"
import type { StoreFailure } from "./failures.ts"
import type { SnapshotId } from "./ledger_snapshot.ts"
import type { LedgerTotals, NextItemIds, PlacedBlock } from "./placed_block.ts"

/**
 * The ledger before a write, as far as a decision reads it: every block, everything that the block
 * to apply refers to, the queues that it fills and forges with their accounts and tokens, and the
 * accounts and tokens of its L2 transactions and fee accounts. Each method looks up one key. The
 * object is valid until the write ends.
 */
export interface PriorLedger {
  readonly lastBlock: EthereumBlock
  /**
   * Greatest `lastEthereumBlock` of all blocks up to the last one; a rollback restores the value
   * before it.
   */
  readonly lastEthereumBlock: bigint
  /**
   * The last head; null before the first one, or if a rollback to a block below it followed. It has
   * no effect if the last block is not below it, except that its `chainHead` is still shown.
   */
  readonly head: HeadFeed | null
  /** Returns the stored block with a number, or undefined if there is none. */
  readonly block: (number: bigint) => EthereumBlock | undefined
  /**
   * Returns the stored blocks before and after a number between two of them; undefined if the
   * number is that of a stored block, below the genesis block or above the last block.
   */
  readonly gapAt: (number: bigint) => BlockGap | undefined
  /** 0 before the first batch. */
  readonly lastBatchNum: number
  /** 255 before the first account. */
  readonly lastAccountIndex: AccountIndex
  /** 0 while ether is the only token. */
  readonly lastTokenId: number
  /** Greatest forged queue; null before the first one. */
  readonly lastForgedQueue: number | null
  /** Greatest queue with a transaction; null if there is none. */
  readonly lastOpenQueue: number | null
  /** The unforged L1 user transactions of a queue, by position. */
  readonly queue: (toForgeL1TransactionsNum: number) => ReadonlyArray<Transaction>
  readonly account: (index: AccountIndex) => Account | undefined
  readonly token: (id: number) => Token | undefined
  readonly tokenByAddress: (address: EthereumAddress) => Token | undefined
  readonly registration: (bidder: EthereumAddress) => Coordinator | undefined
  readonly bestBid: (slotNum: number) => Bid | undefined
  readonly exit: (batchNum: number, index: AccountIndex) => Exit | undefined
  /**
   * Returns the exits of an owner and token with a delayed withdrawal that was requested and not
   * yet collected.
   */
  readonly requestedExits: (owner: EthereumAddress, tokenId: number) => ReadonlyArray<Exit>
  readonly variables: NetworkVariables
}

/** A ledger that blocks are placed on: what decisions read, and what the rows depend on. */
export interface LedgerBase extends PriorLedger {
  /** `version` of the snapshotId. */
  readonly version: number
  readonly next: NextItemIds
  /** Sums over all batches. */
  readonly totals: LedgerTotals
  /** L1 user transactions that were ever queued. */
  readonly totalQueued: number
  /** Returns whether an account has the public key. */
  readonly hasPublicKey: (key: PublicKey) => boolean
  /**
   * Returns whether a queued or forged transaction has the id. It may return false if the store
   * itself refuses a second transaction with an id.
   */
  readonly hasTransaction: (id: TransactionId) => boolean
}

/** Two blocks, one stored directly after the other, between which the Ethereum blocks are empty. */
export interface BlockGap {
  readonly before: EthereumBlock
  readonly after: EthereumBlock
}

/** The decision about a block: store its changes, or do nothing since it is already stored. */
export type Decision<E = never> = StoreDecision<E> | { readonly kind: "alreadyStored" }

/** The changes to store if `check` succeeds. */
export interface StoreDecision<E = never> {
  readonly kind: "store"
  readonly changes: BlockChanges
  /**
   * A slow check, such as the verification of proofs in another thread. If it fails, nothing is
   * stored. Until it ends, the changes are invisible and no later write is decided.
   */
  readonly check?: Effect.Effect<void, E>
}

/**
 * A decision that needs data which other threads compute, such as the exit tree of a batch. Until
 * it is resolved, no later write is decided. If it fails, nothing is stored.
 */
export interface DeferredDecision<E = never> {
  readonly kind: "deferred"
  readonly resolve: Effect.Effect<StoreDecision<E>, E>
}

/** The result of a block: `applied` is false if the ledger had already stored it. */
export type BlockReport =
  | { readonly applied: true; readonly snapshotId: SnapshotId; readonly placed: PlacedBlock }
  | { readonly applied: false; readonly snapshotId: SnapshotId }

/** The numbers of removed blocks and batches, and what remains. */
export interface RollBackReport {
  /** The requested block, which may lie in a gap. */
  readonly toBlock: bigint
  /** The last remaining block: `toBlock`, or the last one before it if `toBlock` is in a gap. */
  readonly lastBlock: EthereumBlock
  readonly blocks: number
  readonly batches: number
  readonly isHeadRemoved: boolean
  /** Last remaining batch; 0 if there is none. */
  readonly lastBatchNum: number
  readonly snapshotId: SnapshotId
}

/**
 * Port: writes the ledger. Calls are executed one at a time, and each one is atomic.
 *
 * @example
 * ```ts
 * import { Effect, Result } from "effect"
 * import { LedgerWriter } from "rollup-node-api"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const prices = [{ tokenId: 0, priceUSD: 2000, timeMs: 1_700_000_000_000 }]
 * const write = Effect.flatMap(LedgerWriter, (writer) =>
 *   writer.setPrices(prices, () => Result.void))
 * const store = Memory.layer(simulate({ seed: 1 }).genesis)
 * console.log((await Effect.runPromise(Effect.provide(write, store))).version) // => 1
 * ```
 */
export class LedgerWriter extends Context.Service<LedgerWriter, {
  /**
   * Applies one block: calls `decide` with the ledger before it, and stores the changes in the same
   * transaction, as a `StagedLedger` places them. `applied` is false if the decision is
   * `alreadyStored`. The store may call `decide`, which is pure, and the `resolve` and `check` of
   * the decision several times.
   */
  readonly apply: <E>(
    block: BlockFeed,
    decide: (prior: PriorLedger) => Result.Result<Decision<E> | DeferredDecision<E>, E>
  ) => Effect.Effect<BlockReport, E | StoreFailure>
  /**
   * Removes every block above `toBlock`, and a head above it, if `check` succeeds, in one transaction. The blocks at or
   * below `toBlock` remain, whether it is stored or in a gap.
   */
  readonly rollBack: <E>(
    toBlock: bigint,
    check: (prior: PriorLedger) => Result.Result<void, E>
  ) => Effect.Effect<RollBackReport, E | StoreFailure>
  /** Sets prices if `check` succeeds. A rollback of the last block restores the previous prices. */
  readonly setPrices: <E>(
    prices: ReadonlyArray<PriceFeed>,
    check: (prior: PriorLedger) => Result.Result<void, E>
  ) => Effect.Effect<SnapshotId, E | StoreFailure>
  /**
   * Replaces the head if `check` succeeds. It belongs to no block, and the store holds only the last
   * one: however many are set, its size stays the same.
   */
  readonly setHead: <E>(
    head: HeadFeed,
    check: (prior: PriorLedger) => Result.Result<void, E>
  ) => Effect.Effect<SnapshotId, E | StoreFailure>
}>()("rollup/core/LedgerWriter") {}

/**
 * Detects another writer between dependent writes: the next write in the session fails once with
 * `StoreFailure.writerChanged`. Provide one session to all writes that build on each other, and to
 * `feedPosition`, the read that they start from. Null, the default, detects nothing.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { feedPosition, WriteSession } from "rollup-node-api"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * // provide the same session to the writes that follow
 * const session = { since: null }
 * const inSession = Effect.provideService(feedPosition, WriteSession, session)
 * const { lastBlock } = await Effect.runPromise(Effect.provide(inSession, Memory.layer(genesis)))
 * console.log(lastBlock.number === genesis.block.number) // => true
 * ```
 */
export const WriteSession = Context.Reference<WriteSession | null>("rollup/core/WriteSession", {
  defaultValue: () => null
})

/** The state of a session, `{ since: null }` at first; stores read and update it. */
export interface WriteSession {
  /** The writer epoch of the store at the last write; null before the first one. */
  since: bigint | null
}
