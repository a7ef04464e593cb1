import { Context, type Effect, type Result } from "effect"
import type {
  Account,
  AuctionVariables,
  Bid,
  BlockChanges,
  BlockFeed,
  Coordinator,
  EthereumBlock,
  Exit,
  NetworkVariables,
  PriceFeed,
  Token,
  Transaction
} from "../domain/mod.ts"
import type { AccountIndex, EthereumAddress } from "../encoding/mod.ts"
import type { StoreFailure } from "./failures.ts"
import type { LedgerStamp } from "./ledger_parts.ts"

/**
 * The ledger before a write, restricted to what the decision needs: everything that the block
 * refers to, the queues that it fills and forges with their accounts and tokens, the accounts and
 * tokens of its L2 transactions and fee accounts, and every block. Lookups are point reads. The
 * view is valid until the write ends.
 */
export interface LedgerView {
  readonly lastBlock: EthereumBlock
  /**
   * Greatest `lastEthereumBlock` of all blocks up to the last one; a rollback restores the value
   * before it.
   */
  readonly lastEthereumBlock: bigint
  /** Returns the stored block of that number, or undefined (also below the first block). */
  readonly block: (number: bigint) => EthereumBlock | undefined
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
  /** Auction variables from the newest to the oldest. */
  readonly auctionVariables: Iterable<AuctionVariables>
}

/** The decision about a write: what to store, or that everything is already stored. */
export type Decision<E = never> = StoreDecision<E> | { readonly kind: "alreadyStored" }

/** What to store if `check` succeeds. */
export interface StoreDecision<E = never> {
  readonly kind: "store"
  readonly changes: BlockChanges
  /**
   * A slow check, such as the verification of proofs in another thread. If it fails, nothing is
   * stored. Until it ends, the changes are invisible and no later write is decided.
   */
  readonly check?: Effect.Effect<void, E>
}

/** What a rollback removed. */
export interface RollBackReport {
  readonly toBlock: bigint
  readonly blocks: number
  readonly batches: number
  /** Last remaining batch; 0 if there is none. */
  readonly lastBatchNum: number
  readonly stamp: LedgerStamp
}

/** Port: writes the ledger, one call at a time, each atomic. */
export class LedgerWriter extends Context.Service<LedgerWriter, {
  /**
   * Applies one block. Calls `decide` with a view that has at least what `block` refers to, and
   * stores its changes in the same transaction. `decide` is pure and may be called again, and so
   * may its `check`.
   */
  readonly apply: <E>(
    block: BlockFeed,
    decide: (view: LedgerView) => Result.Result<Decision<E>, E>
  ) => Effect.Effect<{ readonly applied: boolean; readonly stamp: LedgerStamp }, E | StoreFailure>
  /** Drops every block above `toBlock`, if `check` succeeds in the same transaction. */
  readonly rollBack: <E>(
    toBlock: bigint,
    check: (view: LedgerView) => Result.Result<void, E>
  ) => Effect.Effect<RollBackReport, E | StoreFailure>
  /** Sets prices. They belong to the last block, and a rollback of that block removes them. */
  readonly setPrices: <E>(
    prices: ReadonlyArray<PriceFeed>,
    check: (view: LedgerView) => Result.Result<void, E>
  ) => Effect.Effect<LedgerStamp, E | StoreFailure>
}>()("rollup/core/LedgerWriter") {}
