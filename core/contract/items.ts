import type {
  AccountView,
  Batch,
  BidView,
  Coordinator,
  ExitView,
  FullBatch,
  SlotView,
  Token,
  TransactionView
} from "../domain/mod.ts"
import type { AccountIndex, EthereumAddress, TransactionId } from "../encoding/mod.ts"

/** What the items of each list are. */
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

/** How much lies around a page: both are exact. */
export interface PageCounts {
  /** Items that match after the last one of the page, in the direction of the page. */
  readonly pendingItems: number
  /** Items that match, wherever the page stands, and the smallest and greatest `itemId` among them (null when none). */
  readonly totalItems: number
  readonly firstItem: number | null
  readonly lastItem: number | null
}

/** What is looked up one at a time, and by what. */
export interface ItemKeys {
  readonly account: AccountIndex
  readonly exit: { readonly batchNum: number; readonly accountIndex: AccountIndex }
  /** Also finds a queued L1 user transaction, which no list shows. */
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
