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
import type { LedgerStamp } from "./stamp.ts"

/**
 * What the ledger holds before a write, as far as deciding about the write needs it: everything that the block refers to,
 * the queues that it fills and forges with their accounts and tokens, the accounts and tokens of its L2 transactions and fee
 * accounts, and every block. Lookups are point reads; the view is valid until the write ends.
 */
export interface LedgerView {
  readonly lastBlock: EthereumBlock
  /** The greatest that any block up to the last one told; a rollback takes back what the dropped ones told. */
  readonly lastEthereumBlock: bigint
  /** The stored block of that number, or undefined (also below the first block). */
  readonly block: (number: bigint) => EthereumBlock | undefined
  /** 0 before the first batch. */
  readonly lastBatchNum: number
  /** 255 before the first account. */
  readonly lastAccountIndex: AccountIndex
  /** 0 while ether is the only token. */
  readonly lastTokenId: number
  /** The greatest queue that was forged; null while none was. */
  readonly lastForgedQueue: number | null
  /** The greatest queue that holds a transaction; null while none does. */
  readonly lastOpenQueue: number | null
  /** The unforged L1 user transactions of a queue, by position. */
  readonly queue: (toForgeL1TransactionsNum: number) => ReadonlyArray<Transaction>
  readonly account: (index: AccountIndex) => Account | undefined
  readonly token: (id: number) => Token | undefined
  readonly tokenByAddress: (address: EthereumAddress) => Token | undefined
  readonly registration: (bidder: EthereumAddress) => Coordinator | undefined
  readonly bestBid: (slotNum: number) => Bid | undefined
  readonly exit: (batchNum: number, index: AccountIndex) => Exit | undefined
  /** Exits of an owner and token with a delayed withdrawal that was requested and not yet collected. */
  readonly requestedExits: (owner: EthereumAddress, tokenId: number) => ReadonlyArray<Exit>
  readonly variables: NetworkVariables
  /** Auction variables from the newest to the oldest. */
  readonly auctionVariables: Iterable<AuctionVariables>
}

/** A decision about a write: what to store, or that all of it is stored already. */
export type Decision<E = never> = StoreDecision<E> | { readonly kind: "alreadyStored" }

/** What to store, once `check` has ended well. */
export interface StoreDecision<E = never> {
  readonly kind: "store"
  readonly changes: BlockChanges
  /**
   * What takes longer than a decision may, such as proofs that another thread verifies. Where it fails, nothing is stored; until it has
   * ended nothing of the changes is shown, and no later write is decided on.
   */
  readonly check?: Effect.Effect<void, E>
}

/** What a rollback removed. */
export interface RollBackReport {
  readonly toBlock: bigint
  readonly blocks: number
  readonly batches: number
  /** Greatest batch that is left; 0 when none is. */
  readonly lastBatchNum: number
  readonly stamp: LedgerStamp
}

/** Port: writes the ledger, one call at a time, each all or nothing. */
export class LedgerWriter extends Context.Service<LedgerWriter, {
  /**
   * Applies one block: `decide` is called with a view that holds at least what `block` refers to, and its changes are
   * stored in the same transaction. `decide` is pure and may be called again, its `check` with it.
   */
  readonly apply: <E>(
    block: BlockFeed,
    decide: (view: LedgerView) => Result.Result<Decision<E>, E>
  ) => Effect.Effect<{ readonly applied: boolean; readonly stamp: LedgerStamp }, E | StoreFailure>
  /** Drops every block above; the caller has checked nothing, `check` refuses in the same transaction. */
  readonly rollBack: <E>(
    toBlock: bigint,
    check: (view: LedgerView) => Result.Result<void, E>
  ) => Effect.Effect<RollBackReport, E | StoreFailure>
  /** Prices that arrive between two blocks belong to the last block and go with it. */
  readonly setPrices: <E>(
    prices: ReadonlyArray<PriceFeed>,
    check: (view: LedgerView) => Result.Result<void, E>
  ) => Effect.Effect<LedgerStamp, E | StoreFailure>
}>()("rollup/core/LedgerWriter") {}
