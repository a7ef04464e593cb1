import type { FiltersOf, lists } from "../../../core/contract/mod.ts"
import {
  type Account,
  type Batch,
  type Bid,
  type Coordinator,
  type Exit,
  type Transaction,
  type TransactionType,
  transactionTypes
} from "../../../core/domain/mod.ts"
import {
  type AccountIndex,
  type EthereumAddress,
  isUserAccount,
  type PublicKey
} from "../../../core/encoding/mod.ts"

/**
 * The posting lists of one list of the contract. A key is the letter of the list, then the letter
 * of a facet and a value of the row, as bytes; the key of all rows is the letter and `*`.
 */
export interface PostingList {
  /** Table of the rows; the lists hold its `item_id`. */
  readonly table: string
  /** First letter of the keys. */
  readonly letter: string
  readonly facets: { readonly [filter: string]: PostingFacet }
  /** The filters that select lists of a facet, in the order of the facets. */
  readonly filters: { readonly [filter: string]: FacetFilter & { readonly facet: string } }
}

/** Returns the values of a facet that a filter selects, as hexadecimal digits. */
interface FacetFilter<Value = never> {
  readonly filterDigits: (value: Value) => ReadonlyArray<string>
}

/**
 * The values of a filter in keys. A row is not listed under a value that is NULL.
 *
 * A transaction has a sender and a receiver. To find those of one side, a value begins with the
 * letter of its side: `s` if the sender alone has it, `r` if the receiver alone has it, `b` if both
 * have it. These lists are disjoint, and a transaction has as many entries as without the letters.
 */
export interface PostingFacet<Row = never, Value = never, Filter = string>
  extends FacetFilter<Value>
{
  readonly letter: string
  /** Length of a value in bytes. */
  readonly octets: number
  /** SQL for the values of a row `r` as bytes: one, or two for sender and receiver. */
  readonly values: ReadonlyArray<string>
  /** Returns the same values of a row in memory, as hexadecimal digits. */
  readonly digits: (row: Row) => ReadonlyArray<string | null>
  /**
   * Filters that a query can combine with this one; the keys of combinations have their values in
   * this order. They are facets of the same list with one value.
   */
  readonly combinableFilters: ReadonlyArray<Filter>
}

/** A filter that selects some of the values of a facet. */
interface SideFilter<Value = never, Facet = string> extends FacetFilter<Value> {
  readonly facet: Facet
}

/** How `reads` answers a filter that has no facet. */
type OtherFilter =
  /** Restricts the page to a range of item ids. */
  | "itemRange"
  /** Reads the lists of `open_items.ts` instead. */
  | "openItems"
  /** Adds rows of `queued_transaction` that no batch has forged. */
  | "queuedRows"
  /** Reads the list of each bidder that is registered with a forger, or the registrations alone. */
  | "registrations"

/**
 * An entry for each filter that the contract declares for a list: a facet, or how the filter is
 * answered instead.
 */
export type FilterIndexes<N extends PostingListName> = {
  readonly [F in keyof FiltersOf<N>]-?:
    | PostingFacet<ListedRows[N], FilterValue<Required<FiltersOf<N>>[F]>, keyof FiltersOf<N>>
    | SideFilter<Required<FiltersOf<N>>[F], keyof FiltersOf<N>>
    | OtherFilter
}
type FilterValue<Value> = Value extends ReadonlyArray<infer Item> ? Item : Value

/** The rows of each list that has posting lists; `reads` has other indexes for slots and tokens. */
export interface ListedRows {
  readonly accounts: Account
  readonly exits: Exit
  readonly transactions: Transaction
  readonly batches: Batch
  readonly bids: Bid
  readonly coordinators: Coordinator
}
export type PostingListName = keyof ListedRows

/** How a value is written in keys. */
interface KeyEncoding<Value> {
  /** Length in bytes. */
  readonly octets: number
  /** Returns SQL for the bytes of a column. */
  readonly sql: (column: string) => string
  /** Returns the bytes of a value as hexadecimal digits. */
  readonly digits: (value: Value) => string
}

const int8: KeyEncoding<number> = {
  octets: 8,
  sql: (column) => `int8send(${column})`,
  digits: (value) => value.toString(16).padStart(16, "0")
}
const typeDigits = new Map<TransactionType, string>(
  transactionTypes.map((type, number) => [type, number.toString(16).padStart(4, "0")])
)
const transactionType: KeyEncoding<TransactionType> = {
  octets: 2,
  sql: (column) => `int2send(${column})`,
  digits: (type) => typeDigits.get(type)!
}
const address: KeyEncoding<EthereumAddress> = {
  octets: 20,
  sql: (column) => column,
  digits: (value) => value.slice(2)
}
const publicKey: KeyEncoding<PublicKey> = {
  octets: 32,
  sql: (column) => column,
  digits: (key) => key
}

/** 0 and 1 are not accounts of users, so their transactions are not listed under them. */
const userAccount: KeyEncoding<AccountIndex> = {
  ...int8,
  sql: (column) => `CASE WHEN ${column} >= 256 THEN ${int8.sql(column)} END`
}
const userAccountOrNull = (index: AccountIndex | null): AccountIndex | null =>
  index !== null && isUserAccount(index) ? index : null

type ColumnValue<Row, Value> = readonly [column: string, valueOf: (row: Row) => Value | null]

const facet = <Row, Value, const Filters extends ReadonlyArray<string>>(
  letter: string,
  encoding: KeyEncoding<Value>,
  combinableFilters: Filters,
  [column, valueOf]: ColumnValue<Row, Value>
) => ({
  letter,
  octets: encoding.octets,
  values: [encoding.sql(column)],
  digits: (row: Row) => {
    const value = valueOf(row)
    return [value === null ? null : encoding.digits(value)]
  },
  filterDigits: (value: Value) => [encoding.digits(value)],
  combinableFilters
})

/** The first bytes of values that the sender alone, the receiver alone, or both have. */
const sides = { sender: "73", receiver: "72", both: "62" } as const
type Side = keyof typeof sides

/** A facet of sender and receiver. */
const sidedFacet = <Row, Value, const Filters extends ReadonlyArray<string>>(
  letter: string,
  encoding: KeyEncoding<Value>,
  combinableFilters: Filters,
  [sender, senderOf]: ColumnValue<Row, Value>,
  [receiver, receiverOf]: ColumnValue<Row, Value>
) => ({
  letter,
  octets: 1 + encoding.octets,
  values: [
    `CASE WHEN ${sender} = ${receiver} THEN '\\x${sides.both}'::bytea ELSE '\\x${sides.sender}'::bytea END || ${
      encoding.sql(sender)
    }`,
    `CASE WHEN ${sender} = ${receiver} THEN NULL ELSE '\\x${sides.receiver}'::bytea || ${
      encoding.sql(receiver)
    } END`
  ],
  digits: (row: Row) => {
    const [from, to] = [senderOf(row), receiverOf(row)]
    return [
      from === null
        ? null
        : (from === to ? sides.both : sides.sender) + encoding.digits(from),
      to === null || from === to ? null : sides.receiver + encoding.digits(to)
    ]
  },
  ...bySides(encoding, ["sender", "receiver", "both"]),
  combinableFilters
})

const bySides = <Value>(encoding: KeyEncoding<Value>, selected: ReadonlyArray<Side>) => ({
  filterDigits: (value: Value) => selected.map((side) => sides[side] + encoding.digits(value))
})
const sent = <Value, const Facet>(facet: Facet, encoding: KeyEncoding<Value>) => ({
  facet,
  ...bySides(encoding, ["sender", "both"])
})
const received = <Value, const Facet>(facet: Facet, encoding: KeyEncoding<Value>) => ({
  facet,
  ...bySides(encoding, ["receiver", "both"])
})

/**
 * How each declared filter finds its rows. If a query names several facets, its key begins with the
 * first of them in this order.
 */
const filterIndexes = {
  accounts: {
    address: facet("a", address, ["tokenIds"], ["r.address", (row: Account) => row.address]),
    publicKey: facet(
      "k",
      publicKey,
      ["tokenIds"],
      ["r.public_key", (row: Account) => row.publicKey]
    ),
    tokenIds: facet("t", int8, [], ["r.token_id", (row: Account) => row.tokenId])
  },
  exits: {
    accountIndex: facet("i", int8, [], ["r.account_index", (row: Exit) => row.accountIndex]),
    address: facet("a", address, ["tokenId"], ["r.address", (row: Exit) => row.address]),
    publicKey: facet("k", publicKey, ["tokenId"], ["r.public_key", (row: Exit) => row.publicKey]),
    tokenId: facet("t", int8, [], ["r.token_id", (row: Exit) => row.tokenId]),
    batchNum: "itemRange",
    onlyPendingWithdraws: "openItems"
  },
  transactions: {
    accountIndex: sidedFacet(
      "i",
      userAccount,
      ["type"],
      ["r.from_account_index", (row: Transaction) => userAccountOrNull(row.fromAccountIndex)],
      ["r.to_account_index", (row: Transaction) => userAccountOrNull(row.toAccountIndex)]
    ),
    address: sidedFacet(
      "a",
      address,
      ["tokenId", "type"],
      ["r.from_address", (row: Transaction) => row.fromAddress],
      ["r.to_address", (row: Transaction) => row.toAddress]
    ),
    publicKey: sidedFacet(
      "k",
      publicKey,
      ["tokenId", "type"],
      ["r.from_public_key", (row: Transaction) => row.fromPublicKey],
      ["r.to_public_key", (row: Transaction) => row.toPublicKey]
    ),
    tokenId: facet("t", int8, ["type"], ["r.token_id", (row: Transaction) => row.tokenId]),
    batchNum: "itemRange",
    type: facet("y", transactionType, [], ["r.type", (row: Transaction) => row.type]),
    fromAccountIndex: sent("accountIndex", userAccount),
    toAccountIndex: received("accountIndex", userAccount),
    fromAddress: sent("address", address),
    toAddress: received("address", address),
    fromPublicKey: sent("publicKey", publicKey),
    toPublicKey: received("publicKey", publicKey),
    includePending: "queuedRows"
  },
  batches: {
    minBatchNum: "itemRange",
    maxBatchNum: "itemRange",
    slotNum: facet("s", int8, ["forgerAddr"], ["r.slot_num", (row: Batch) => row.slotNum]),
    forgerAddr: facet("f", address, [], ["r.forger_addr", (row: Batch) => row.forgerAddr])
  },
  bids: {
    slotNum: facet("s", int8, ["bidderAddr"], ["r.slot_num", (row: Bid) => row.slotNum]),
    bidderAddr: facet("b", address, [], ["r.bidder_addr", (row: Bid) => row.bidderAddr]),
    forgerAddr: "registrations"
  },
  coordinators: {
    bidderAddr: "registrations",
    forgerAddr: "registrations",
    onlyLatest: "registrations"
  }
} as const satisfies { readonly [N in PostingListName]: FilterIndexes<N> }

type Indexes<N extends PostingListName> = typeof filterIndexes[N]

/** The filters of a list that select lists of a facet. */
export type FacetName<N extends PostingListName> = {
  [F in keyof Indexes<N>]: Indexes<N>[F] extends OtherFilter ? never : F
}[keyof Indexes<N>]

/** The facet whose lists a filter selects. */
type FacetOf<N extends PostingListName, F extends keyof Indexes<N>> = Indexes<N>[F] extends
  { readonly facet: infer Facet extends keyof Indexes<N> } ? Facet : F

type CombinableWith<N extends PostingListName, F extends keyof Indexes<N>> =
  Indexes<N>[FacetOf<N, F>] extends
    { readonly combinableFilters: ReadonlyArray<infer Name extends string> } ? Name : never

/** The filters that the declaration excludes if a query has `F`. */
type ExcludedBy<N extends PostingListName, F> = typeof lists[N]["exclusions"][number] extends
  infer Pair ? Pair extends readonly [F, infer Other] ? Other
  : Pair extends readonly [infer Other, F] ? Other
  : never
  : never

/**
 * Filters that lack a combination: a query may name them together with a filter of another facet,
 * and would ignore one of the two. `never` if the lists above are complete.
 */
export type UncombinedFacet = {
  [N in PostingListName]: {
    [F in FacetName<N>]: Exclude<
      FacetName<N>,
      | ExcludedBy<N, F>
      | CombinableWith<N, F>
      | {
        [G in FacetName<N>]: F extends CombinableWith<N, G> ? G
          : FacetOf<N, F> extends FacetOf<N, G> ? G
          : never
      }[FacetName<N>]
    >
  }[FacetName<N>]
}[PostingListName]

const postingList = (name: PostingListName, table: string, letter: string): PostingList => {
  const indexes = Object.entries<PostingFacet | SideFilter | OtherFilter>(filterIndexes[name])
  const filters = indexes.filter((entry): entry is [string, PostingFacet | SideFilter] =>
    typeof entry[1] !== "string"
  )
  return {
    table,
    letter,
    facets: Object.fromEntries(
      filters.filter((entry): entry is [string, PostingFacet] => !("facet" in entry[1]))
    ),
    filters: Object.fromEntries(
      filters.map(([filter, index]) => [
        filter,
        {
          filterDigits: index.filterDigits,
          facet: "facet" in index ? index.facet : filter
        }
      ])
    )
  }
}

export const postingLists: { readonly [N in PostingListName]: PostingList } = {
  accounts: postingList("accounts", "account", "A"),
  exits: postingList("exits", "exit", "E"),
  transactions: postingList("transactions", "transaction", "T"),
  batches: postingList("batches", "batch", "B"),
  bids: postingList("bids", "bid", "D"),
  coordinators: postingList("coordinators", "coordinator", "C")
}
