import {
  type Filter,
  type FiltersOf,
  itemIds,
  limitDefault,
  type ListDeclaration,
  type ListItems,
  type ListName,
  type ListQuery,
  lists,
  rowFilter
} from "../../core/contract/mod.ts"
import type { Transaction } from "../../core/domain/mod.ts"
import {
  listedSlots,
  NotRegistered,
  type Page,
  type UnregisteredThing
} from "../../core/ports/mod.ts"
import { accountView, exitView, slotAt, transactionView } from "./_views.ts"
import type { Constraint, FilterIndex, IndexedRows, KeyValue, RowList } from "./filter_index/mod.ts"
import { indexKeyNumbers, indexSpecs, type LedgerState } from "./state/mod.ts"

/** How a list gets its items. Positions are those of its index. */
interface ListSource<Item> {
  readonly index: Pick<FilterIndex<never>, "select">
  /** Greater than all positions. */
  readonly end: number
  /** Returns the first position whose item id is at least `itemId`. */
  readonly positionOf: (itemId: number) => number
  readonly itemIdAt: (position: number) => number
  readonly itemAt: (position: number) => Item
  /** Matching items that the list has beside those of its index, ascending by item id. */
  readonly unindexed?: ReadonlyArray<Item>
}

/** Returns the source of each list. */
const listSources: {
  readonly [N in ListName]: (
    state: LedgerState,
    filters: FiltersOf<N>
  ) => ListSource<ListItems[N]>
} = {
  accounts: (state) =>
    tableSource(state.history.accounts.table, (account) => accountView(state, account)),
  exits: (state) => tableSource(state.history.exits.table, (exit) => exitView(state, exit)),
  transactions: (state, filters) => {
    const itemOf = (transaction: Transaction) => transactionView(state, transaction)
    const forged = tableSource(state.history.transactions, itemOf)
    if (filters.includePending !== true) return forged
    const queued = state.history.queuedTransactions()
    return {
      ...forged,
      unindexed: queued.filter(rowFilter(lists.transactions, filters)).map(itemOf)
    }
  },
  batches: (state) => tableSource(state.history.batches, identity),
  // every number is a slot, and its own position and item id
  slots: (state, filters) => {
    const { clock } = state
    return {
      index: state.auction.slots,
      end: listedSlots(filters, clock).end,
      positionOf: identity,
      itemIdAt: identity,
      itemAt: (slotNum) => slotAt(state, clock, slotNum)
    }
  },
  bids: (state) =>
    tableSource(state.auction.bids, ({ bid, coordinator }) => Object.freeze({ bid, coordinator })),
  tokens: ({ tokens: { table } }, filters) => {
    const source = tableSource(table, identity)
    return filters.name === undefined
      ? source
      : { ...source, end: 0, unindexed: table.rows.filter(rowFilter(lists.tokens, filters)) }
  },
  coordinators: (state) => tableSource(state.auction.coordinators, ({ coordinator }) => coordinator)
}

const tableSource = <Row extends { readonly itemId: number }, Item>(
  table: IndexedRows<Row, RowList<Row>>,
  itemOf: (row: Row) => Item
): ListSource<Item> => ({
  index: table.index,
  end: table.length,
  positionOf: (itemId) => table.positionOf(itemId),
  itemIdAt: (position) => table.itemIdAt(position),
  itemAt: (position) => itemOf(table.rows.at(position)!)
})

const identity = <Value>(value: Value): Value => value

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
  const selected = isAscending
    ? positions.ascendingFrom(start, limit)
    : positions.descendingBelow(start, limit)
  const rank = positions.rank(start)
  const page = {
    items: selected.map(source.itemAt),
    counts: {
      pendingItems: (isAscending ? positions.count - rank : rank) - selected.length,
      totalItems: positions.count,
      firstItem: positions.count === 0 ? null : source.itemIdAt(positions.first),
      lastItem: positions.count === 0 ? null : source.itemIdAt(positions.last)
    },
    snapshotId: state.snapshotId
  }
  return source.unindexed === undefined
    ? page
    : withUnindexed(page, source.unindexed, query, itemIds[name])
}

/** Adds the items that the index does not have to the page of those that it has. */
const withUnindexed = <N extends ListName>(
  { counts, items, snapshotId }: Page<ListItems[N]>,
  unindexed: ReadonlyArray<ListItems[N]>,
  { fromItem, limit = limitDefault, order }: ListQuery<N>,
  itemIdOf: (item: ListItems[N]) => number
): Page<ListItems[N]> => {
  const direction = order === "DESC" ? -1 : 1
  const remaining = unindexed.filter((item) =>
    fromItem === undefined || direction * (itemIdOf(item) - fromItem) >= 0
  )
  const page = [...items, ...remaining]
    .sort((one, other) => direction * (itemIdOf(one) - itemIdOf(other)))
    .slice(0, limit)
  const ends = [...unindexed.slice(0, 1), ...unindexed.slice(-1)].map(itemIdOf)
    .concat(counts.firstItem ?? [], counts.lastItem ?? [])
    .sort((one, other) => one - other)
  return {
    items: page,
    counts: {
      pendingItems: counts.pendingItems + items.length + remaining.length - page.length,
      totalItems: counts.totalItems + unindexed.length,
      firstItem: ends.at(0) ?? null,
      lastItem: ends.at(-1) ?? null
    },
    snapshotId
  }
}

/** The constraints of a query in index key order, and its positions [from, to). */
interface IndexSelection {
  readonly constraints: ReadonlyArray<Constraint>
  readonly from: number
  readonly to: number
}

/**
 * Turns each filter into a constraint or a range of positions, according to its spec. Returns
 * `NotRegistered` if filters name tokens, accounts or batches that do not exist.
 */
const readFilters = (
  state: LedgerState,
  name: ListName,
  values: { readonly [filter: string]: unknown }
): IndexSelection | NotRegistered => {
  const declaration: ListDeclaration = lists[name]
  const specs = indexSpecs[name]
  const valuesByFilter = new Map<string, ReadonlySet<KeyValue>>()
  const unregistered: Array<UnregisteredThing> = []
  let from = 0
  let to = Infinity
  for (const [filter, value] of Object.entries(values)) {
    const declared = declaration.filters[filter]
    const spec = specs[filter]
    if (value === undefined || declared === undefined || spec === undefined) continue
    if (spec.kind === "unindexed" || (declared.match === "flag" && value === false)) continue
    const kind = declared.references
    if (kind !== undefined) {
      for (const each of valuesOf(value)) {
        if (!isRegistered(state, kind, each as number)) {
          unregistered.push({ filter, kind, value: each as number })
        }
      }
    }
    if (spec.kind === "range") {
      const [first, end] = spec.range(value as never, state)
      from = Math.max(from, first)
      to = Math.min(to, end)
    } else {
      valuesByFilter.set(filter, new Set(valuesOf(value)))
      if (declared.implies !== undefined) valuesByFilter.set(declared.implies, new Set([true]))
    }
  }
  if (isNonEmpty(unregistered)) {
    return new NotRegistered({ things: unregistered, snapshotId: state.snapshotId })
  }
  const constraints = [...valuesByFilter]
    .map(([filter, values]): Constraint => ({ indexKeys: indexKeyNumbers(name, filter), values }))
    .sort((one, other) => one.indexKeys[0]! - other.indexKeys[0]!)
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

const valuesOf = (value: unknown): ReadonlyArray<KeyValue> =>
  (Array.isArray(value) ? value : [value]) as ReadonlyArray<KeyValue>
