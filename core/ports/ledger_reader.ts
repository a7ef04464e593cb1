import { Context, type Effect } from "effect"
import type { FiltersOf, ListName, ListQuery } from "../contract/list.ts"
import type {
  AccountView, Batch, BidView, Coordinator, ExitView, FullBatch, NetworkState, SlotView, Token, TransactionView
} from "../domain/mod.ts"
import type { AccountIndex, EthereumAddress, TransactionId } from "../encoding/mod.ts"
import type { NotRegistered, StoreFailure } from "./failures.ts"
import type { LedgerStamp } from "./stamp.ts"

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

/** Items and counts of one snapshot. */
export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly counts: PageCounts
  readonly stamp: LedgerStamp
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

/** An item, or null where there is none, and the snapshot that knows. */
export interface Found<Item> {
  readonly item: Item | null
  readonly stamp: LedgerStamp
}

/**
 * Port: reads the ledger. Every answer is computed on one snapshot, and costs in proportion to its size, whatever the
 * size of the ledger, the filters and the depth of the page.
 */
export class LedgerReader extends Context.Service<LedgerReader, {
  readonly list: <N extends ListName>(name: N, query: ListQuery<N>) => Effect.Effect<Page<ListItems[N]>, NotRegistered | StoreFailure>
  readonly find: <N extends ItemName>(name: N, key: ItemKeys[N]) => Effect.Effect<Found<Items[N]>, StoreFailure>
  readonly state: Effect.Effect<{ readonly state: NetworkState; readonly stamp: LedgerStamp }, StoreFailure>
  readonly stamp: Effect.Effect<LedgerStamp, StoreFailure>
}>()("rollup/core/LedgerReader") {}

export type { FiltersOf, ListName, ListQuery }
