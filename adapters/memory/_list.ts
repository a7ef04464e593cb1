import {
  type FiltersOf,
  type ItemKeys,
  type ItemName,
  type Items,
  type ListItems,
  type ListName,
  limitDefault,
  type ListQuery
} from "../../core/contract/mod.ts"
import {
  type Account,
  type AccountView,
  type AuctionClock,
  type Exit,
  type ExitView,
  lastClosedSlot,
  lastOpenSlot,
  slotNumMax,
  type SlotView,
  slotView,
  type Token,
  type TokenId,
  type Transaction,
  type TransactionView
} from "../../core/domain/mod.ts"
import type { AccountIndex } from "../../core/encoding/mod.ts"
import { type AccountsAndTokens, NotRegistered, type Page } from "../../core/ports/mod.ts"
import { readFilters } from "./_filters.ts"
import { mergePages, pageOfEntries } from "./_page.ts"
import type { FilterIndex, IndexedRows, RowList } from "./filter_index/mod.ts"
import type { LedgerState, ListRows } from "./state/mod.ts"

/** How a list gets its items. Positions are those of its index. */
interface ListSource<Row, Item> {
  readonly index: FilterIndex<Row>
  /** Greater than all positions. */
  readonly end: number
  /** Returns the first position whose item id is at least `itemId`. */
  readonly positionOf: (itemId: number) => number
  readonly itemIdAt: (position: number) => number
  readonly itemAt: (position: number) => Item
  /** Rows that the list has beside those of its index, ascending by item id. */
  readonly unindexed?: {
    readonly rows: ReadonlyArray<Row>
    readonly itemOf: (row: Row) => Item
  }
}

/** Returns the source of each list. */
const listSources: {
  readonly [N in ListName]: (
    state: LedgerState,
    filters: FiltersOf<N>
  ) => ListSource<ListRows[N], ListItems[N]>
} = {
  accounts: (state) =>
    tableSource(state.history.accounts.table, (account) => accountView(state, account)),
  exits: (state) => tableSource(state.history.exits.table, (exit) => exitView(state, exit)),
  transactions: (state, { batchNum, includePending }) => {
    const itemOf = (transaction: Transaction) => transactionView(state, transaction)
    const forged = tableSource(state.history.transactions, itemOf)
    // a queued transaction has no batch
    return includePending === true && batchNum === undefined
      ? { ...forged, unindexed: { rows: state.history.queuedTransactions(), itemOf } }
      : forged
  },
  batches: (state) => tableSource(state.history.batches, identity),
  // every number is a slot, and its own position and item id
  slots: (state, { maxSlotNum, wonByForger }) => {
    const { clock } = state
    // an open auction has no winner
    const last = wonByForger === undefined ? slotNumMax : lastClosedSlot(clock)
    return {
      index: state.auction.slots,
      end: Math.min(last, maxSlotNum ?? lastOpenSlot(clock)) + 1,
      positionOf: identity,
      itemIdAt: identity,
      itemAt: (slotNum) => slotAt(state, clock, slotNum)
    }
  },
  bids: (state) => tableSource(state.auction.bids, (bid) => bid.view),
  tokens: (state) => tableSource(state.tokens.table, identity),
  coordinators: (state) => tableSource(state.auction.coordinators, ({ coordinator }) => coordinator)
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
  table: IndexedRows<Row, RowList<Row>>,
  itemOf: (row: Row) => Item
): ListSource<Row, Item> => ({
  index: table.index,
  end: table.length,
  positionOf: (itemId) => table.positionOf(itemId),
  itemIdAt: (position) => table.itemIdAt(position),
  itemAt: (position) => itemOf(table.rows.at(position)!)
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

const transactionView = (state: LedgerState, transaction: Transaction): TransactionView => {
  if (transaction.l1 !== null) Object.freeze(transaction.l1)
  if (transaction.l2 !== null) Object.freeze(transaction.l2)
  const token = state.tokens.find(transaction.tokenId)!
  const view = { transaction: Object.freeze(transaction), token }
  if (transaction.l1?.userOrigin !== true) return view
  const senderToken = otherToken(state, transaction, transaction.fromAccountIndex)
  const receiverToken = otherToken(state, transaction, transaction.toAccountIndex)
  return {
    ...view,
    ...senderToken === undefined ? {} : { senderToken },
    ...receiverToken === undefined ? {} : { receiverToken }
  }
}

/** Returns the token of an account that a transaction names, if it is not the transaction's. */
const otherToken = (
  { history, tokens }: LedgerState,
  { batchNum, tokenId }: Transaction,
  index: AccountIndex | null
): Token | undefined => {
  const account = index === null ? undefined : history.accounts.find(index)
  return account === undefined || account.tokenId === tokenId ||
      (batchNum !== null && account.batchNum > batchNum)
    ? undefined
    : tokens.find(account.tokenId)
}

/**
 * Returns one page of a list with its counts, or `NotRegistered` if a filter names tokens, accounts
 * or batches that do not exist.
 */
export const listPage = <N extends ListName>(
  state: LedgerState,
  name: N,
  query: ListQuery<N>
): Page<ListItems[N]> | NotRegistered => {
  const selection = readFilters(state, name, query.filters)
  if (selection instanceof NotRegistered) return selection
  const source = listSources[name](state, query.filters)
  const { constraints, from, to } = selection
  const positions = source.index.select(constraints, from, Math.min(to, source.end))
  const { order = "ASC", limit = limitDefault, fromItem } = query
  const isAscending = order === "ASC"
  const start = fromItem === undefined
    ? isAscending ? 0 : source.end
    : source.positionOf(isAscending ? fromItem : fromItem + 1)
  const page = isAscending
    ? positions.ascendingFrom(start, limit)
    : positions.descendingBelow(start, limit)
  const rank = positions.rank(start)
  const counts = {
    pendingItems: (isAscending ? positions.count - rank : rank) - page.length,
    totalItems: positions.count,
    firstItem: positions.count === 0 ? null : source.itemIdAt(positions.first),
    lastItem: positions.count === 0 ? null : source.itemIdAt(positions.last)
  }
  const { stamp } = state
  if (source.unindexed === undefined) return { items: page.map(source.itemAt), counts, stamp }
  const { itemOf, rows } = source.unindexed
  const merged = mergePages(
    {
      entries: page.map((position) => ({
        itemId: source.itemIdAt(position),
        item: () => source.itemAt(position)
      })),
      counts
    },
    pageOfEntries(
      rows.filter((row) => source.index.matches(row, constraints))
        .map((row) => ({ itemId: row.itemId, item: () => itemOf(row) })),
      query
    ),
    query
  )
  return { items: merged.entries.map(({ item }) => item()), counts: merged.counts, stamp }
}
