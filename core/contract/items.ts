import type {
  Account,
  AccountView,
  Authorization,
  Batch,
  BidView,
  Coordinator,
  Exit,
  ExitView,
  FullBatch,
  NetworkConstants,
  PoolTransactionView,
  SlotView,
  StateView,
  Token,
  Transaction,
  TransactionView
} from "../domain/mod.ts"
import type { AccountIndex, EthereumAddress, TransactionId } from "../encoding/mod.ts"
import type { Shape } from "./objects/mod.ts"

/** The item types of the lists. */
export interface ListItems {
  readonly accounts: AccountView
  readonly exits: ExitView
  readonly transactions: TransactionView
  readonly batches: Batch
  readonly slots: SlotView
  readonly bids: BidView
  readonly tokens: Token
  readonly coordinators: Coordinator
}

/** Return the item id of an item, by list. */
export const itemIds: { readonly [N in keyof ListItems]: (item: ListItems[N]) => number } = {
  accounts: ({ account }) => account.itemId,
  exits: ({ exit }) => exit.itemId,
  transactions: ({ transaction }) => transaction.itemId,
  batches: ({ itemId }) => itemId,
  slots: ({ slotNum }) => slotNum,
  bids: ({ bid }) => bid.itemId,
  tokens: ({ itemId }) => itemId,
  coordinators: ({ itemId }) => itemId
}

/** The fields of the rows of each list that its filters compare. */
export interface ListRows {
  readonly accounts: Pick<Account, "address" | "publicKey" | "tokenId">
  readonly exits: Pick<
    Exit,
    | "accountIndex"
    | "address"
    | "publicKey"
    | "tokenId"
    | "batchNum"
    | "instantWithdrawn"
    | "delayedWithdrawn"
  >
  /** Forged or queued. */
  readonly transactions: Pick<
    Transaction,
    | "fromAccountIndex"
    | "fromAddress"
    | "fromPublicKey"
    | "toAccountIndex"
    | "toAddress"
    | "toPublicKey"
    | "tokenId"
    | "batchNum"
    | "type"
  >
  readonly batches: Pick<Batch, "batchNum" | "slotNum" | "forgerAddr">
  readonly slots: Pick<SlotView, "slotNum" | "bestBid" | "winner" | "closedAuction">
  readonly bids: BidView
  readonly tokens: Pick<Token, "id" | "symbol" | "name" | "ethereumAddress">
  readonly coordinators: {
    readonly coordinator: Coordinator
    /** Whether it is the latest registration of its bidder. */
    readonly isLatest: boolean
  }
}

/** Exact counts around a page. */
export interface PageCounts {
  /** Matching items after the page, in its direction. */
  readonly pendingItems: number
  /**
   * All matching items, and the smallest and greatest `itemId` among them (null if there are none).
   */
  readonly totalItems: number
  readonly firstItem: number | null
  readonly lastItem: number | null
}

/** A page before serialization. */
export interface PageView {
  readonly items: ReadonlyArray<never>
  readonly counts: PageCounts
}

/** The items that are looked up one at a time, and their keys. */
export interface ItemKeys {
  readonly account: AccountIndex
  readonly exit: { readonly batchNum: number; readonly accountIndex: AccountIndex }
  /** Also finds queued L1 user transactions, which are in no list. */
  readonly transaction: TransactionId
  readonly batch: number
  readonly fullBatch: number
  /** Always found. */
  readonly slot: number
  readonly token: number
  /** The latest registration of a bidder. */
  readonly coordinator: EthereumAddress
}

export interface Items {
  readonly account: AccountView
  readonly exit: ExitView
  readonly transaction: TransactionView
  readonly batch: Batch
  readonly fullBatch: FullBatch
  readonly slot: SlotView
  readonly token: Token
  readonly coordinator: Coordinator
}
export type ItemName = keyof Items

interface Objects extends Items {
  readonly bid: BidView
  readonly state: StateView
  readonly config: NetworkConstants
  readonly poolTransaction: PoolTransactionView
  readonly authorization: Authorization
}

/** The objects of the contract in one revision. */
export type Shapes = { readonly [N in keyof Objects]: Shape<Objects[N]> }
