import type { FiltersOf, ListName } from "../../../core/contract/mod.ts"
import {
  type Account,
  type AuctionClock,
  type Batch,
  type BidView,
  type Coordinator,
  type Exit,
  isPendingWithdraw,
  lastClosedSlot,
  type Token,
  type Transaction
} from "../../../core/domain/mod.ts"
import {
  type AccountIndex,
  type EthereumAddress,
  isUserAccount
} from "../../../core/encoding/mod.ts"
import {
  type Facet,
  type Key,
  type KeyFacet,
  sideFacet,
  type TextFacet
} from "../filter_index/mod.ts"

/** A bid with the latest registration of its bidder. A new registration replaces the row. */
export interface BidRow {
  readonly itemId: number
  readonly view: BidView
}

/** The best bid of a slot, and whether it reaches the minimum at the last block. */
export interface SlotRow extends BidRow {
  readonly reachesMinimum: boolean
}

/** A registration of a coordinator. A later one of the same bidder replaces the row. */
export interface CoordinatorRow {
  readonly itemId: number
  readonly coordinator: Coordinator
  /** Whether it is the latest one of its bidder. */
  readonly isLatest: boolean
}

/** The row type of each list. A slot has no row of its own; it is indexed by its best bid. */
export interface ListRows {
  readonly accounts: Account
  readonly exits: Exit
  readonly transactions: Transaction
  readonly batches: Batch
  readonly slots: SlotRow
  readonly bids: BidRow
  readonly tokens: Token
  readonly coordinators: CoordinatorRow
}

/** The parts of the ledger that a filter reads to find its positions or keys. */
export interface FilterContext {
  readonly history: {
    readonly transactionRange: (batchNum: number) => readonly [from: number, to: number]
    readonly exitRange: (batchNum: number) => readonly [from: number, to: number]
  }
  readonly auction: { readonly registration: (bidder: EthereumAddress) => Coordinator | undefined }
  readonly clock: AuctionClock
}

/** Restricts a list to the positions [from, to). */
interface RangeSpec<Value> {
  readonly kind: "range"
  readonly range: (value: Value, ledger: FilterContext) => readonly [from: number, to: number]
}
/**
 * A facet whose key is a function of the key of another filter, as the forger is of the bidder. If
 * a query has both filters, the keys of the other one are filtered instead, so the index does not
 * combine the two facets.
 */
export interface DerivedFacet<Row, K extends Key = Key> extends KeyFacet<Row, K> {
  /** The name of the other filter. */
  readonly derivedFrom: string
  /** Returns the key of this facet for a key of the other filter; undefined if it has none. */
  readonly deriveKey: (key: Key, ledger: FilterContext) => K | undefined
}
/** A facet whose filter implies a flag, so a query with the filter has the flag too. */
export interface ImplyingFacet<Row> extends KeyFacet<Row> {
  readonly implies: string
}
/**
 * A filter of several facets, which it may share with other filters. The lists of the facets under
 * one key are disjoint.
 */
export interface FacetsSpec<Row, K extends Key = Key> {
  readonly kind: "facets"
  readonly facets: readonly [KeyFacet<Row, K>, ...Array<KeyFacet<Row, K>>]
}
/** A filter that restricts no row of the list: `true` adds items that the list does not store. */
interface AddingSpec {
  readonly kind: "adding"
}
type FacetSpec<Row, Value> = [Value] extends [ReadonlyArray<infer Item extends Key>] ?
  KeyFacet<Row, Item>
  : [Value] extends [Key] ?
      | KeyFacet<Row, Value>
      | DerivedFacet<Row, Value>
      | FacetsSpec<Row, Value>
      | TextFacet<Row>
  : never
/** How the memory store finds the items of one filter. */
export type FilterIndexSpec<Row, Value> = FacetSpec<Row, Value> | RangeSpec<Value> | AddingSpec

const key = <Row, K extends Key>(of: (row: Row) => K | null) =>
  ({ kind: "key", keyOf: of, isMutable: false }) as const
const mutableKey = <Row, K extends Key>(of: (row: Row) => K | null) =>
  ({ kind: "key", keyOf: of, isMutable: true }) as const
const text = <Row>(of: (row: Row) => string) => ({ kind: "text", text: of }) as const
const range = <Value>(of: RangeSpec<Value>["range"]) => ({ kind: "range", range: of }) as const
const currentForger: DerivedFacet<BidRow, EthereumAddress> = {
  ...mutableKey(({ view }: BidRow) => view.coordinator.forgerAddr),
  derivedFrom: "bidderAddr",
  deriveKey: (bidder, ledger) => ledger.auction.registration(bidder as EthereumAddress)?.forgerAddr
}

/**
 * The specs of three filters: by either side of a transaction, by its sender and by its receiver.
 * They share three facets with disjoint lists: what a key sends to others, what it receives from
 * others, and what it sends to itself.
 */
const sides = <K extends Key>(
  sender: (row: Transaction) => K | null,
  receiver: (row: Transaction) => K | null
) => {
  const sent = sideFacet({ own: sender, other: receiver, areEqual: false })
  const received = sideFacet({ own: receiver, other: sender, areEqual: false })
  const sentToSelf = sideFacet({ own: sender, other: receiver, areEqual: true })
  return {
    either: { kind: "facets", facets: [sent, received, sentToSelf] },
    sender: { kind: "facets", facets: [sent, sentToSelf] },
    receiver: { kind: "facets", facets: [received, sentToSelf] }
  } as const
}
/** Returns null for a reserved index, so that no filter finds transactions by it. */
const userAccountOrNull = (index: AccountIndex | null): AccountIndex | null =>
  index !== null && isUserAccount(index) ? index : null
const accountSides = sides(
  ({ fromAccountIndex }) => userAccountOrNull(fromAccountIndex),
  ({ toAccountIndex }) => userAccountOrNull(toAccountIndex)
)
const addressSides = sides(({ fromAddress }) => fromAddress, ({ toAddress }) => toAddress)
const publicKeySides = sides(({ fromPublicKey }) => fromPublicKey, ({ toPublicKey }) => toPublicKey)

/** A facet of all registrations, for a filter that selects among the latest ones. */
const ofLatest = (of: (row: CoordinatorRow) => EthereumAddress) => ({
  ...key(of),
  implies: "onlyLatest"
})

/**
 * One line for each filter of the contract. A list looks up its facets in this order, so facets
 * with mutable keys come last.
 */
const checkedSpecs: {
  readonly [N in ListName]: {
    readonly [F in keyof FiltersOf<N>]-?: FilterIndexSpec<ListRows[N], Required<FiltersOf<N>>[F]>
  }
} = {
  accounts: {
    address: key((account: Account) => account.address),
    publicKey: key((account: Account) => account.publicKey),
    tokenIds: key((account: Account) => account.tokenId)
  },
  exits: {
    accountIndex: key((exit: Exit) => exit.accountIndex),
    address: key((exit: Exit) => exit.address),
    publicKey: key((exit: Exit) => exit.publicKey),
    tokenId: key((exit: Exit) => exit.tokenId),
    batchNum: range((batchNum: number, ledger) => ledger.history.exitRange(batchNum)),
    onlyPendingWithdraws: mutableKey((exit: Exit) => isPendingWithdraw(exit) ? true : null)
  },
  transactions: {
    accountIndex: accountSides.either,
    fromAccountIndex: accountSides.sender,
    toAccountIndex: accountSides.receiver,
    address: addressSides.either,
    fromAddress: addressSides.sender,
    toAddress: addressSides.receiver,
    publicKey: publicKeySides.either,
    fromPublicKey: publicKeySides.sender,
    toPublicKey: publicKeySides.receiver,
    tokenId: key((transaction: Transaction) => transaction.tokenId),
    batchNum: range((batchNum: number, ledger) => ledger.history.transactionRange(batchNum)),
    type: key((transaction: Transaction) => transaction.type),
    includePending: { kind: "adding" }
  },
  batches: {
    minBatchNum: range((batchNum: number) => [batchNum, Infinity]),
    maxBatchNum: range((batchNum: number) => [0, batchNum - 1]),
    slotNum: key((batch: Batch) => batch.slotNum),
    forgerAddr: key((batch: Batch) => batch.forgerAddr)
  },
  slots: {
    minSlotNum: range((slotNum: number) => [slotNum, Infinity]),
    maxSlotNum: range((slotNum: number) => [0, slotNum + 1]),
    bestBidder: mutableKey(({ view }: SlotRow) => view.bid.bidderAddr),
    wonByBidder: mutableKey(({ reachesMinimum, view }: SlotRow) =>
      reachesMinimum ? view.bid.bidderAddr : null
    ),
    wonByForger: mutableKey(({ reachesMinimum, view }: SlotRow) =>
      reachesMinimum ? view.coordinator.forgerAddr : null
    ),
    finishedAuction: range((_: boolean, ledger) => [0, lastClosedSlot(ledger.clock) + 1])
  },
  bids: {
    slotNum: key(({ view }: BidRow) => view.bid.slotNum),
    bidderAddr: key(({ view }: BidRow) => view.bid.bidderAddr),
    forgerAddr: currentForger
  },
  tokens: {
    ids: key((token: Token) => token.id),
    symbols: key((token: Token) => token.symbol),
    addresses: key((token: Token) => token.ethereumAddress),
    name: text((token: Token) => token.name)
  },
  coordinators: {
    bidderAddr: ofLatest(({ coordinator }) => coordinator.bidderAddr),
    forgerAddr: ofLatest(({ coordinator }) => coordinator.forgerAddr),
    onlyLatest: mutableKey(({ isLatest }: CoordinatorRow) => isLatest ? true : null)
  }
}

/** The spec of a filter whose name is not known to the compiler. */
export type AnyIndexSpec<Row> =
  | Facet<Row>
  | DerivedFacet<Row>
  | ImplyingFacet<Row>
  | FacetsSpec<Row>
  | RangeSpec<unknown>
  | AddingSpec

/**
 * The specs of each list by filter. The type of `checkedSpecs` ensures that each spec takes the
 * values of its own filter.
 */
export const indexSpecs = checkedSpecs as unknown as {
  readonly [N in ListName]: { readonly [filter: string]: AnyIndexSpec<ListRows[N]> }
}
