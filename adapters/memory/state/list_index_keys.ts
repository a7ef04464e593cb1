import {
  type Filter,
  type FiltersOf,
  type ListDeclaration,
  type ListName,
  listNames,
  type ListRows,
  lists
} from "../../../core/contract/mod.ts"
import { type IndexKey, IndexKeys, type KeyValue, sideIndexKey } from "../filter_index/mod.ts"
import { type AuctionClock, lastClosedSlot } from "../../../core/domain/mod.ts"

/** A bid with the latest registration of its bidder. A new registration replaces the row. */
export type BidRow = ListRows["bids"] & { readonly itemId: number }

/** A registration of a coordinator. A later one of the same bidder replaces the row. */
export type CoordinatorRow = ListRows["coordinators"] & { readonly itemId: number }

/** The parts of the ledger that a filter reads to find its positions. */
export interface FilterContext {
  readonly history: {
    readonly transactionRange: (batchNum: number) => readonly [from: number, to: number]
    readonly exitRange: (batchNum: number) => readonly [from: number, to: number]
  }
  readonly clock: AuctionClock
}

/** Restricts a list to the positions [from, to). */
interface RangeSpec<Value> {
  readonly kind: "range"
  readonly range: (value: Value, ledger: FilterContext) => readonly [from: number, to: number]
}

/**
 * Lists rows under the values that the filter compares. A row that replaces another one can have
 * other values only if they are `changing`.
 */
interface ComparedSpec {
  readonly kind: "fixed" | "changing"
}

/** No index key lists the values of the filter: the source of the list applies it. */
interface UnindexedSpec {
  readonly kind: "unindexed"
}

/** How the memory store finds the items of a filter. */
export type FilterIndexSpec<Value> =
  | ([Value] extends [KeyValue | ReadonlyArray<KeyValue>] ? ComparedSpec : never)
  | RangeSpec<Value>
  | UnindexedSpec

const fixed = { kind: "fixed" } as const
const changing = { kind: "changing" } as const
const unindexed = { kind: "unindexed" } as const
const range = <Value>(of: RangeSpec<Value>["range"]) => ({ kind: "range", range: of }) as const

/** One line for each filter of the contract. */
const checkedSpecs: {
  readonly [N in ListName]: {
    readonly [F in keyof FiltersOf<N>]-?: FilterIndexSpec<Required<FiltersOf<N>>[F]>
  }
} = {
  accounts: { address: fixed, publicKey: fixed, tokenIds: fixed },
  exits: {
    accountIndex: fixed,
    address: fixed,
    publicKey: fixed,
    tokenId: fixed,
    batchNum: range((batchNum: number, ledger) => ledger.history.exitRange(batchNum)),
    onlyPendingWithdraws: changing
  },
  transactions: {
    accountIndex: fixed,
    fromAccountIndex: fixed,
    toAccountIndex: fixed,
    address: fixed,
    fromAddress: fixed,
    toAddress: fixed,
    publicKey: fixed,
    fromPublicKey: fixed,
    toPublicKey: fixed,
    tokenId: fixed,
    batchNum: range((batchNum: number, ledger) => ledger.history.transactionRange(batchNum)),
    type: fixed,
    includePending: unindexed
  },
  batches: {
    minBatchNum: range((batchNum: number) => [batchNum, Infinity]),
    maxBatchNum: range((batchNum: number) => [0, batchNum - 1]),
    slotNum: fixed,
    forgerAddr: fixed
  },
  slots: {
    minSlotNum: range((slotNum: number) => [slotNum, Infinity]),
    maxSlotNum: range((slotNum: number) => [0, slotNum + 1]),
    bestBidder: changing,
    wonByBidder: changing,
    wonByForger: changing,
    finishedAuction: range((_: boolean, ledger) => [0, lastClosedSlot(ledger.clock) + 1])
  },
  bids: {
    slotNum: fixed,
    bidderAddr: fixed,
    forgerAddr: changing
  },
  tokens: { ids: fixed, symbols: fixed, addresses: fixed, name: unindexed },
  coordinators: { bidderAddr: fixed, forgerAddr: fixed, onlyLatest: changing }
}

/** The spec of a filter whose name is not known to the compiler. */
export type AnyIndexSpec = ComparedSpec | RangeSpec<never> | UnindexedSpec

/** The specs of each list by filter, whose names and values the type of `checkedSpecs` checks. */
export const indexSpecs: {
  readonly [N in ListName]: { readonly [filter: string]: AnyIndexSpec }
} = checkedSpecs

/*
 * The index keys of a list follow from what its filters compare. Filters by either side of a
 * transaction, by its sender and by its receiver share three index keys with disjoint lists: what a
 * value sends to others, what it receives from others, and what it sends to itself.
 */

type AnyIndexKey = IndexKey<never>
type Values = (row: never) => KeyValue | null

/**
 * Returns the index keys of a list: those of its filters, then `lookups`, which no filter uses and
 * which are not combined with any other.
 */
export const indexKeysOf = <N extends ListName, Row extends ListRows[N] = ListRows[N]>(
  name: N,
  lookups: ReadonlyArray<IndexKey<Row>> = []
): IndexKeys<Row> => {
  const { exclusions }: ListDeclaration = lists[name]
  const { all, byFilter } = indexKeysByList.get(name)!
  const filtersOf = all.map((indexKey) =>
    [...byFilter].flatMap(([filter, indexKeys]) => indexKeys.includes(indexKey) ? [filter] : [])
  )
  const isExcluded = (one: string, other: string): boolean =>
    exclusions.some(([left, right]) =>
      (left === one && right === other) || (left === other && right === one)
    )
  const canCombine = (earlier: number, later: number): boolean => {
    const [filters, others] = [filtersOf[earlier] ?? [], filtersOf[later] ?? []]
    // the lists of one filter's index keys are disjoint
    if (filters.some((filter) => others.includes(filter))) return false
    return filters.some((one) => others.some((other) => !isExcluded(one, other)))
  }
  const filterIndexKeys: ReadonlyArray<unknown> = all
  return new IndexKeys([...filterIndexKeys as ReadonlyArray<IndexKey<Row>>, ...lookups], canCombine)
}

/** Returns the numbers of the index keys of a filter in its list, ascending. */
export const indexKeyNumbers = (name: ListName, filter: string): ReadonlyArray<number> =>
  indexKeysByList.get(name)!.numbers.get(filter)!

/** Returns the number of the only index key of a filter in its list. */
export const indexKeyNumber = (name: ListName, filter: string): number =>
  indexKeyNumbers(name, filter)[0]!

/** Returns the number of the first lookup of a list, which follows the index keys of the filters. */
export const lookupNumber = (name: ListName): number => indexKeysByList.get(name)!.all.length

/** Returns the index keys of the filters of a list in the order of lookups, by filter and in all. */
const indexKeysOfFilters = (name: ListName) => {
  const { filters }: ListDeclaration = lists[name]
  const pairs = Object.values<Filter>(filters).flatMap(({ compared: [sender, receiver] }) =>
    receiver === undefined ? [] : [pairOf(sender as Values, receiver as Values)]
  )
  const byFilter = new Map(
    Object.entries<Filter>(filters).map(([filter, declared]) => [
      filter,
      indexKeysOfFilter(declared, indexSpecs[name][filter]!.kind, pairs)
    ])
  )
  const all = [...new Set([...byFilter.values()].flat())]
    // only the last index keys may have values that change
    .sort((a, b) => Number(a.isMutable) - Number(b.isMutable))
  const numbers = new Map(
    [...byFilter].map(([filter, indexKeys]) => [
      filter,
      indexKeys.map((indexKey) => all.indexOf(indexKey)).sort((a, b) => a - b)
    ])
  )
  return { all, byFilter, numbers }
}

const pairOf = (sender: Values, receiver: Values) => ({
  sender,
  receiver,
  sent: sideIndexKey({ own: sender, other: receiver, areEqual: false }),
  received: sideIndexKey({ own: receiver, other: sender, areEqual: false }),
  sentToSelf: sideIndexKey({ own: sender, other: receiver, areEqual: true })
})

const indexKeysOfFilter = (
  { compared: [first, second], match }: Filter,
  kind: AnyIndexSpec["kind"],
  pairs: ReadonlyArray<ReturnType<typeof pairOf>>
): ReadonlyArray<AnyIndexKey> => {
  if (kind === "range" || kind === "unindexed") return []
  const pair = pairs.find(({ receiver, sender }) => sender === first || receiver === first)
  if (pair !== undefined) {
    const { received, sender, sent, sentToSelf } = pair
    if (second !== undefined) return [sent, received, sentToSelf]
    return [sender === first ? sent : received, sentToSelf]
  }
  const compared = first as Values
  const valueOf = match === "flag"
    ? (row: never) => compared(row) === true ? true : null
    : compared
  return [{ valueOf, isMutable: kind !== "fixed" }]
}

const indexKeysByList = new Map(listNames.map((name) => [name, indexKeysOfFilters(name)]))
