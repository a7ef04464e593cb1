import type { FiltersOf, ListName, ListRows } from "../../../core/contract/mod.ts"
import { type AuctionClock, lastClosedSlot } from "../../../core/domain/mod.ts"
import type { KeyValue } from "../filter_index/mod.ts"

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
