import {
  comparedValue,
  type Filter,
  type ListDeclaration,
  lists
} from "../../../core/contract/mod.ts"
import { encodings, type KeyEncoding } from "./_key_encodings.ts"
import { type ListedRows, type PostingListName, tables } from "./listed_rows.ts"

/**
 * The posting lists of one list of the contract. A key is the letter of the list, then the letter
 * of an index key and a value of the row, as bytes; the key of all rows is the letter and `*`.
 */
export interface PostingList {
  /** Table of the rows; the lists hold its `item_id`. */
  readonly table: string
  /** First letter of the keys. */
  readonly letter: string
  readonly indexKeys: { readonly [filter: string]: PostingIndexKey }
  /** The filters that select lists of an index key, in the order of the index keys. */
  readonly filters: { readonly [filter: string]: IndexKeyFilter }
}

/** How a filter selects lists of an index key. */
interface IndexKeyFilter {
  readonly indexKey: string
  /** Returns the values of the index key for a value of the filter, as hexadecimal digits. */
  readonly digits: (value: unknown) => ReadonlyArray<string>
}

/**
 * The values of a filter in keys. A row is not listed under a value that is null.
 *
 * A transaction has a sender and a receiver. To find those of one side, a value begins with the
 * letter of its side: `s` if the sender alone has it, `r` if the receiver alone has it, `b` if both
 * have it. These lists are disjoint, and a transaction has as many entries as without the letters.
 */
export interface PostingIndexKey {
  readonly letter: string
  /** Length of a value in bytes. */
  readonly octets: number
  /** Returns the values of a row, as hexadecimal digits: one, or two for sender and receiver. */
  readonly digits: (row: object) => ReadonlyArray<string | null>
  /** SQL for the same values of a row `r`, as bytes. */
  readonly values: ReadonlyArray<string>
  /**
   * Filters that a query can combine with this one; the keys of combinations have their values in
   * this order. They are index keys of the same list with one value.
   */
  readonly combinableFilters: ReadonlyArray<string>
}

/** Lists the rows under the values that the filter compares. */
interface IndexKey<
  Combinable = string,
  Columns = readonly [string] | readonly [sender: string, receiver: string]
> {
  readonly letter: string
  readonly combinableFilters: ReadonlyArray<Combinable>
  /**
   * The same values in SQL, for statements that filter rows: the tail of a list that is not in the
   * combined lists, and queued transactions.
   */
  readonly columns: Columns
}

/** Selects lists of the index key of another filter, which compares sender and receiver. */
interface SideFilter<IndexKey = string> {
  readonly indexKey: IndexKey
}

/** How `reads` answers a filter that has no index key. */
type OtherFilter =
  /** Restricts the page to a range of item ids. */
  | "itemRange"
  /** Reads the lists of `open_items.ts` instead. */
  | "openItems"
  /** Adds rows of `queued_transaction` that no batch has forged. */
  | "queuedRows"
  /** Reads the list of each bidder that is registered with a forger, or the registrations alone. */
  | "registrations"

type Declared<N extends PostingListName> = typeof lists[N]["filters"]

/**
 * The filters of a list that compare one value, never null: only these can follow another filter in
 * a key, since every row has each of its combined keys.
 */
type CombinableFilter<N extends PostingListName> = {
  [F in keyof Declared<N>]: Declared<N>[F] extends
    { readonly compared: readonly [(row: never) => infer Value] } ? null extends Value ? never : F
    : never
}[keyof Declared<N>]

/** One column for each value that a filter compares. */
type ColumnsOf<Compared> = { readonly [I in keyof Compared]: string }

/** A filter that can be an index key: its values have an encoding, and the rows of `ListedRows` have them. */
interface IndexKeyDeclaration<N extends PostingListName> {
  readonly scalar: keyof typeof encodings
  readonly compared: ReadonlyArray<(row: ListedRows[N]) => unknown>
}

/**
 * An entry for each filter that the contract declares for a list: an index key, or how the filter is
 * answered instead.
 */
export type FilterIndexes<N extends PostingListName> = {
  readonly [F in keyof Declared<N>]:
    | (Declared<N>[F] extends IndexKeyDeclaration<N> ?
        | IndexKey<CombinableFilter<N>, ColumnsOf<Declared<N>[F]["compared"]>>
        | SideFilter<keyof Declared<N>>
      : never)
    | OtherFilter
}

const indexKey = <
  const Filters extends ReadonlyArray<string>,
  const Columns extends IndexKey["columns"]
>(
  letter: string,
  combinableFilters: Filters,
  ...columns: Columns
) => ({ letter, combinableFilters, columns })
const sideOf = <const Name>(indexKey: Name) => ({ indexKey })

/** Returns SQL that is null for 0 and 1, which are not accounts of users. */
const userAccount = (column: string): string => `CASE WHEN ${column} >= 256 THEN ${column} END`

/**
 * How each declared filter finds its rows. If a query names several index keys, its key begins with the
 * first of them in this order.
 */
const filterIndexes = {
  accounts: {
    address: indexKey("a", ["tokenIds"], "r.address"),
    publicKey: indexKey("k", ["tokenIds"], "r.public_key"),
    tokenIds: indexKey("t", [], "r.token_id")
  },
  exits: {
    accountIndex: indexKey("i", [], "r.account_index"),
    address: indexKey("a", ["tokenId"], "r.address"),
    publicKey: indexKey("k", ["tokenId"], "r.public_key"),
    tokenId: indexKey("t", [], "r.token_id"),
    batchNum: "itemRange",
    onlyPendingWithdraws: "openItems"
  },
  transactions: {
    accountIndex: indexKey(
      "i",
      ["type"],
      userAccount("r.from_account_index"),
      userAccount("r.to_account_index")
    ),
    address: indexKey("a", ["tokenId", "type"], "r.from_address", "r.to_address"),
    publicKey: indexKey("k", ["tokenId", "type"], "r.from_public_key", "r.to_public_key"),
    tokenId: indexKey("t", ["type"], "r.token_id"),
    batchNum: "itemRange",
    type: indexKey("y", [], "r.type"),
    fromAccountIndex: sideOf("accountIndex"),
    toAccountIndex: sideOf("accountIndex"),
    fromAddress: sideOf("address"),
    toAddress: sideOf("address"),
    fromPublicKey: sideOf("publicKey"),
    toPublicKey: sideOf("publicKey"),
    includePending: "queuedRows"
  },
  batches: {
    minBatchNum: "itemRange",
    maxBatchNum: "itemRange",
    slotNum: indexKey("s", ["forgerAddr"], "r.slot_num"),
    forgerAddr: indexKey("f", [], "r.forger_addr")
  },
  bids: {
    slotNum: indexKey("s", ["bidderAddr"], "r.slot_num"),
    bidderAddr: indexKey("b", [], "r.bidder_addr"),
    forgerAddr: "registrations"
  },
  coordinators: {
    bidderAddr: "registrations",
    forgerAddr: "registrations",
    onlyLatest: "registrations"
  }
} as const satisfies { readonly [N in PostingListName]: FilterIndexes<N> }

type Indexes<N extends PostingListName> = typeof filterIndexes[N]

/** The filters of a list that select lists of an index key. */
export type IndexKeyName<N extends PostingListName> = {
  [F in keyof Indexes<N>]: Indexes<N>[F] extends OtherFilter ? never : F
}[keyof Indexes<N>]

/** The first bytes of values that the sender alone, the receiver alone, or both have. */
const sides = { sender: "73", receiver: "72", both: "62" } as const

type AnyIndex = IndexKey | SideFilter | OtherFilter

const postingList = (name: PostingListName, letter: string): PostingList => {
  const { filters }: ListDeclaration = lists[name]
  const indexes = Object.entries<AnyIndex>(filterIndexes[name])
  const encodingOf = (filter: string) =>
    encodings[filters[filter]!.scalar as keyof typeof encodings] as KeyEncoding<unknown>
  const indexKeys = indexes.flatMap(([filter, index]) =>
    typeof index === "string" || "indexKey" in index
      ? []
      : [[filter, postingIndexKey(index, encodingOf(filter), filters[filter]!)] as const]
  )
  const indexKeyFilters = indexes.flatMap(([filter, index]) => {
    if (typeof index === "string") return []
    const indexKey = "indexKey" in index ? index.indexKey : filter
    const selected = sidesOf(filters[filter]!, filters[indexKey]!)
    const { digits } = encodingOf(indexKey)
    return [
      [filter, {
        indexKey,
        digits: (value: unknown) => selected.map((side) => side + digits(value))
      }] as const
    ]
  })
  return {
    table: tables[name],
    letter,
    indexKeys: Object.fromEntries(indexKeys),
    filters: Object.fromEntries(indexKeyFilters)
  }
}

/** Returns the first bytes of the values of an index key that a filter selects. */
const sidesOf = (filter: Filter, indexKey: Filter): ReadonlyArray<string> => {
  const [sender, receiver] = indexKey.compared
  if (receiver === undefined) return [""]
  if (filter.compared.length === 2) return [sides.sender, sides.receiver, sides.both]
  return [filter.compared[0] === sender ? sides.sender : sides.receiver, sides.both]
}

const postingIndexKey = (
  { columns, combinableFilters, letter }: IndexKey,
  { digits, octets, sql }: KeyEncoding<unknown>,
  { compared: [senderOf, receiverOf] }: Filter
): PostingIndexKey => {
  const [sender, receiver] = columns
  if (receiverOf === undefined || receiver === undefined) {
    return {
      letter,
      combinableFilters,
      octets,
      values: [sql(sender)],
      digits: (row) => {
        const value = comparedValue(senderOf, row)
        return [value === null ? null : digits(value)]
      }
    }
  }
  return {
    letter,
    combinableFilters,
    octets: 1 + octets,
    values: [
      `CASE WHEN ${sender} = ${receiver} THEN '\\x${sides.both}'::bytea ELSE '\\x${sides.sender}'::bytea END || ${
        sql(sender)
      }`,
      `CASE WHEN ${sender} = ${receiver} THEN NULL ELSE '\\x${sides.receiver}'::bytea || ${
        sql(receiver)
      } END`
    ],
    digits: (row) => {
      const [from, to] = [comparedValue(senderOf, row), comparedValue(receiverOf, row)]
      return [
        from === null ? null : (from === to ? sides.both : sides.sender) + digits(from),
        to === null || from === to ? null : sides.receiver + digits(to)
      ]
    }
  }
}

/** The posting lists of each list that has some. */
export const postingLists: { readonly [N in PostingListName]: PostingList } = {
  accounts: postingList("accounts", "A"),
  exits: postingList("exits", "E"),
  transactions: postingList("transactions", "T"),
  batches: postingList("batches", "B"),
  bids: postingList("bids", "D"),
  coordinators: postingList("coordinators", "C")
}
