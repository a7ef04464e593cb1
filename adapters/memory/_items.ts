import type {
  FiltersOf,
  ItemKeys,
  ItemName,
  Items,
  ListItems,
  ListName
} from "../../core/contract/mod.ts"
import {
  type Account,
  type AccountView,
  type AuctionClock,
  type Exit,
  type ExitView,
  lastOpenSlot,
  slotNumMax,
  type SlotView,
  slotView,
  type TokenId,
  type Transaction,
  type TransactionView
} from "../../core/domain/mod.ts"
import type { AccountIndex } from "../../core/encoding/mod.ts"
import type { AccountsAndTokens } from "../../core/ports/mod.ts"
import type { FilterIndex, Table } from "./filter_index/mod.ts"
import type { LedgerState, ListRows } from "./state/mod.ts"

/** How a list gets its items. Positions are those of its index. */
export interface ListSource<Row, Item> {
  readonly index: FilterIndex<Row>
  /** Greater than all positions. */
  readonly end: number
  /** Returns the first position whose item id is at least `itemId`. */
  readonly positionOf: (itemId: number) => number
  readonly itemIdAt: (position: number) => number
  readonly itemAt: (position: number) => Item
}

/** Returns the source of each list. */
export const listSources: {
  readonly [N in ListName]: (
    state: LedgerState,
    filters: FiltersOf<N>
  ) => ListSource<ListRows[N], ListItems[N]>
} = {
  accounts: (state) =>
    tableSource(state.history.accounts.table, (account) => accountView(state, account)),
  exits: (state) => tableSource(state.history.exits.table, (exit) => exitView(state, exit)),
  transactions: (state) =>
    tableSource(
      state.history.transactions,
      (transaction) => transactionView(state, transaction)
    ),
  batches: (state) => tableSource(state.history.batches, identity),
  // every number is a slot, and its own position and item id
  slots: (state, { maxSlotNum }) => {
    const { clock } = state
    return {
      index: state.auction.slots,
      end: Math.min(slotNumMax, maxSlotNum ?? lastOpenSlot(clock)) + 1,
      positionOf: identity,
      itemIdAt: identity,
      itemAt: (slotNum) => slotAt(state, clock, slotNum)
    }
  },
  bids: (state) => tableSource(state.auction.bids, (bid) => bid.view),
  tokens: (state) => tableSource(state.tokens.table, identity),
  coordinators: (state) => tableSource(state.auction.coordinators, identity)
}

/** Returns one item by its key, or null if it does not exist. */
export const findItem = <N extends ItemName>(
  state: LedgerState,
  name: N,
  key: ItemKeys[N]
): Items[N] | null => finders[name](state, key)

const finders: {
  readonly [N in ItemName]: (state: LedgerState, key: ItemKeys[N]) => Items[N] | null
} = {
  account: (state, index) => {
    const account = state.history.accounts.find(index)
    return account === undefined ? null : accountView(state, account)
  },
  exit: (state, { batchNum, accountIndex }) => {
    const exit = state.history.exit(batchNum, accountIndex)
    return exit === undefined ? null : exitView(state, exit)
  },
  transaction: (state, id) => {
    const transaction = state.history.completedTransaction(id)
    return transaction === undefined ? null : transactionView(state, transaction)
  },
  batch: ({ history }, batchNum) => history.batch(batchNum) ?? null,
  fullBatch: (state, batchNum) => {
    const { history } = state
    const batch = history.batch(batchNum)
    if (batch === undefined) return null
    const rows = history.transactions.rows.slice(...history.transactionRange(batchNum))
    return { batch, transactions: rows.map((transaction) => transactionView(state, transaction)) }
  },
  slot: (state, slotNum) => slotAt(state, state.clock, slotNum),
  token: ({ tokens }, id) => tokens.find(id) ?? null,
  coordinator: ({ auction }, bidder) => auction.registration(bidder) ?? null
}

/** Returns accounts and tokens in the order of the request, null if they do not exist. */
export const findAccountsAndTokens = (
  { history, stamp, tokens }: LedgerState,
  request: {
    readonly accounts: ReadonlyArray<AccountIndex>
    readonly tokens: ReadonlyArray<TokenId>
  }
): AccountsAndTokens => ({
  accounts: request.accounts.map((index) => {
    const account = history.accounts.find(index)
    return account === undefined ? null : Object.freeze(account)
  }),
  tokens: request.tokens.map((id) => tokens.find(id) ?? null),
  stamp
})

/** Returns a slot at the last block. Every number is a slot. */
export const slotAt = (
  { auction, parameters }: LedgerState,
  clock: AuctionClock,
  slotNum: number
): SlotView => {
  const bestBid = auction.bestBid(slotNum)
  return slotView(
    clock,
    slotNum,
    bestBid === undefined ? null : { bestBid, applicable: parameters.auctionOf(slotNum) }
  )
}

const tableSource = <Row extends { readonly itemId: number }, Item>(
  table: Table<Row>,
  itemOf: (row: Row) => Item
): ListSource<Row, Item> => ({
  index: table.index,
  end: table.length,
  positionOf: (itemId) => table.positionOf(itemId),
  itemIdAt: (position) => table.rows[position]!.itemId,
  itemAt: (position) => itemOf(table.rows[position]!)
})

const identity = <Value>(value: Value): Value => value

/*
 * An item is made of frozen rows. Most rows are frozen when they are stored. Accounts and
 * transactions, of which a block writes many, are frozen when they are read, so that writes cost
 * less.
 */

const accountView = ({ tokens }: LedgerState, account: Account): AccountView => ({
  account: Object.freeze(account),
  token: tokens.find(account.tokenId)!
})

const exitView = ({ tokens }: LedgerState, exit: Exit): ExitView => ({
  exit,
  token: tokens.find(exit.tokenId)!
})

const transactionView = ({ tokens }: LedgerState, transaction: Transaction): TransactionView => {
  if (transaction.l1 !== null) Object.freeze(transaction.l1)
  if (transaction.l2 !== null) Object.freeze(transaction.l2)
  return { transaction: Object.freeze(transaction), token: tokens.find(transaction.tokenId)! }
}
