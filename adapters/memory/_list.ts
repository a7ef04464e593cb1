import {
  type FiltersOf,
  type ItemKeys,
  type ItemName,
  type Items,
  type ListItems,
  type ListName,
  type Filter,
  limitDefault,
  type ListDeclaration,
  type ListQuery,
  lists
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
import {
  type AccountsAndTokens,
  NotRegistered,
  type Page,
  type UnregisteredThing
} from "../../core/ports/mod.ts"
import type { FilterIndex, IndexedRows, RowList, Constraint, Key } from "./filter_index/mod.ts"
import {
  type LedgerState,
  type ListRows,
  type DerivedFacet,
  facetNumber,
  indexSpecs
} from "./state/mod.ts"

/** How a list gets its items. Positions are those of its index. */
interface ListSource<Row, Item> {
  readonly index: FilterIndex<Row>
  /** Greater than all positions. */
  readonly end: number
  /** Returns the first position whose item id is at least `itemId`. */
  readonly positionOf: (itemId: number) => number
  readonly itemIdAt: (position: number) => number
  readonly itemAt: (position: number) => Item
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
  transactions: (state) =>
    tableSource(
      state.history.transactions,
      (transaction) => transactionView(state, transaction)
    ),
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
  return {
    items: page.map(source.itemAt),
    counts: {
      pendingItems: (isAscending ? positions.count - rank : rank) - page.length,
      totalItems: positions.count,
      firstItem: positions.count === 0 ? null : source.itemIdAt(positions.first),
      lastItem: positions.count === 0 ? null : source.itemIdAt(positions.last)
    },
    stamp: state.stamp
  }
}

/** The constraints of a query in facet order, and its positions [from, to). */
interface IndexSelection {
  readonly constraints: ReadonlyArray<Constraint>
  readonly from: number
  readonly to: number
}

/** Turns each filter into a constraint or a range of positions, according to its spec. */
const readFilters = (
  state: LedgerState,
  name: ListName,
  values: { readonly [filter: string]: unknown }
): IndexSelection | NotRegistered => {
  const declaration: ListDeclaration = lists[name]
  const specs = indexSpecs[name]
  const keysByFilter = new Map<string, ReadonlySet<Key>>()
  const derivedFacets: Array<readonly [filter: string, facet: DerivedFacet<never>]> = []
  const constraints: Array<Constraint> = []
  const unregistered: Array<UnregisteredThing> = []
  let from = 0
  let to = Infinity
  for (const [filter, value] of Object.entries(values)) {
    const declared = declaration.filters[filter]
    const spec = specs[filter]
    if (value === undefined || declared === undefined || spec === undefined) continue
    if (declared.match === "flag" && value === false) continue
    const kind = declared.references
    if (kind !== undefined) {
      for (const each of valuesOf(value)) {
        if (!isRegistered(state, kind, each as number)) {
          unregistered.push({ filter, kind, value: each as number })
        }
      }
    }
    if (spec.kind === "range") {
      const [first, end] = spec.range(value, state)
      from = Math.max(from, first)
      to = Math.min(to, end)
    } else if (spec.kind === "text") {
      if (value !== "") {
        constraints.push({ kind: "text", facet: facetNumber(name, filter), needle: String(value) })
      }
    } else {
      keysByFilter.set(filter, new Set(valuesOf(value)))
      if ("derivedFrom" in spec) derivedFacets.push([filter, spec])
      if ("implies" in spec) keysByFilter.set(spec.implies, new Set([true]))
    }
  }
  if (isNonEmpty(unregistered)) {
    return new NotRegistered({ things: unregistered, stamp: state.stamp })
  }
  for (const [filter, { derivedFrom, keyOf }] of derivedFacets) {
    const sourceKeys = keysByFilter.get(derivedFrom)
    if (sourceKeys === undefined) continue
    const keys = keysByFilter.get(filter)!
    keysByFilter.delete(filter)
    keysByFilter.set(
      derivedFrom,
      new Set([...sourceKeys].filter((key) => keys.has(keyOf(key, state)!)))
    )
  }
  for (const [filter, keys] of keysByFilter) {
    constraints.push({ kind: "key", facet: facetNumber(name, filter), keys })
  }
  constraints.sort((one, other) => one.facet - other.facet)
  return { constraints, from, to }
}

/** Returns whether the token, account or batch that a filter names exists. */
const isRegistered = (
  { history, tokens }: LedgerState,
  kind: NonNullable<Filter["references"]>,
  value: number
): boolean => {
  switch (kind) {
    case "token":
      return tokens.find(value) !== undefined
    case "account":
      return history.accounts.find(value) !== undefined
    case "batch":
      return history.batch(value) !== undefined
  }
}

const isNonEmpty = <T>(list: ReadonlyArray<T>): list is readonly [T, ...Array<T>] => list.length > 0

const valuesOf = (value: unknown): ReadonlyArray<Key> =>
  (Array.isArray(value) ? value : [value]) as ReadonlyArray<Key>
