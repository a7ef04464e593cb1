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
import type { Facet, Key, KeyFacet, TextFacet } from "../filter_index/mod.ts"

/** A bid with the latest registration of its bidder: a row of its own is filed when that changes. */
export interface BidRow {
  readonly itemId: number
  readonly view: BidView
}

/** What a store keeps of each list. A slot has no row; the best bid stands for it. */
export interface ListRows {
  readonly accounts: Account
  readonly exits: Exit
  readonly transactions: Transaction
  readonly batches: Batch
  readonly slots: BidRow
  readonly bids: BidRow
  readonly tokens: Token
  readonly coordinators: Coordinator
}

/** What a filter may ask of the ledger before its items are looked up. */
export interface FilterContext {
  readonly history: {
    readonly transactionsOf: (batchNum: number) => readonly [from: number, to: number]
    readonly exitsOf: (batchNum: number) => readonly [from: number, to: number]
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
 * A facet whose key follows from that of another filter, as the forger does from the bidder. Where both are asked, the keys
 * of the other one are sifted instead, so that an index need not combine the two.
 */
export interface DerivedFacet<Row, K extends Key = Key> extends KeyFacet<Row, K> {
  readonly follows: string
  readonly keyOf: (key: Key, ledger: FilterContext) => K | undefined
}
/** A set of values asks for a facet with one key: two keys of a row would list it twice. */
type FacetSpec<Row, Value> = [Value] extends [ReadonlyArray<infer Item extends Key>] ?
  KeyFacet<Row, Item> & { readonly keys: readonly [unknown] }
  : [Value] extends [Key] ? KeyFacet<Row, Value> | DerivedFacet<Row, Value> | TextFacet<Row>
  : never
export type FilterIndexSpec<Row, Value> = FacetSpec<Row, Value> | RangeSpec<Value>

const key = <Row, K extends Key>(of: (row: Row) => K | null) =>
  ({ kind: "key", keys: [of], changes: false }) as const
const either = <Row, K extends Key>(one: (row: Row) => K | null, other: (row: Row) => K | null) =>
  ({ kind: "key", keys: [one, other], changes: false }) as const
const changing = <Row, K extends Key>(of: (row: Row) => K | null) =>
  ({ kind: "key", keys: [of], changes: true }) as const
const text = <Row>(of: (row: Row) => string) => ({ kind: "text", text: of }) as const
const range = <Value>(of: RangeSpec<Value>["range"]) => ({ kind: "range", range: of }) as const
const currentForger = (follows: string): DerivedFacet<BidRow, EthereumAddress> => ({
  ...changing(({ view }: BidRow) => view.coordinator.forgerAddr),
  follows,
  keyOf: (bidder, ledger) => ledger.auction.registration(bidder as EthereumAddress)?.forgerAddr
})

/** One line for each filter of the contract: how the memory store finds its items. Facets are asked in this order. */
const indexSpecs: {
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
    batchNum: range((batchNum: number, ledger) => ledger.history.exitsOf(batchNum)),
    onlyPendingWithdraws: changing((exit: Exit) => isPendingWithdraw(exit) ? true : null)
  },
  transactions: {
    accountIndex: either(
      (transaction: Transaction) => userAccount(transaction.fromAccountIndex),
      (transaction: Transaction) => userAccount(transaction.toAccountIndex)
    ),
    address: either(
      (transaction: Transaction) => transaction.fromAddress,
      (transaction: Transaction) => transaction.toAddress
    ),
    publicKey: either(
      (transaction: Transaction) => transaction.fromPublicKey,
      (transaction: Transaction) => transaction.toPublicKey
    ),
    tokenId: key((transaction: Transaction) => transaction.tokenId),
    batchNum: range((batchNum: number, ledger) => ledger.history.transactionsOf(batchNum)),
    type: key((transaction: Transaction) => transaction.type)
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
    wonByBidder: changing(({ view }: BidRow) => view.bid.bidderAddr),
    wonByForger: currentForger("wonByBidder"),
    finishedAuction: range((_: boolean, ledger) => [0, lastClosedSlot(ledger.clock) + 1])
  },
  bids: {
    slotNum: key(({ view }: BidRow) => view.bid.slotNum),
    bidderAddr: key(({ view }: BidRow) => view.bid.bidderAddr),
    forgerAddr: currentForger("bidderAddr")
  },
  tokens: {
    ids: key((token: Token) => token.id),
    symbols: key((token: Token) => token.symbol),
    name: text((token: Token) => token.name)
  },
  coordinators: {}
}

/** 0 and 1 are no accounts: nobody asks for what they have in common. */
const userAccount = (index: AccountIndex | null): AccountIndex | null =>
  index !== null && isUserAccount(index) ? index : null

/** A line whose filter is known by its name only. */
export type AnyIndexSpec<Row> = Facet<Row> | DerivedFacet<Row> | RangeSpec<unknown>

/** The lines of a list by name: the table above has checked that each takes the values of its own filter. */
export const indexSpecsOf = <N extends ListName>(
  name: N
): { readonly [filter: string]: AnyIndexSpec<ListRows[N]> } =>
  indexSpecs[name] as unknown as { readonly [filter: string]: AnyIndexSpec<ListRows[N]> }
