import { type Filter, type ListDeclaration, lists } from "../../../core/contract/mod.ts"
import { encodings, type KeyEncoding } from "./_key_encodings.ts"
import { type ListedRows, type PostingListName, tables } from "./listed_rows.ts"

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
  readonly filters: { readonly [filter: string]: FacetFilter }
}

/** How a filter selects lists of a facet. */
interface FacetFilter {
  readonly facet: string
  /** Returns the values of the facet for a value of the filter, as hexadecimal digits. */
  readonly digits: (value: unknown) => ReadonlyArray<string>
}

/**
 * The values of a filter in keys. A row is not listed under a value that is null.
 *
 * A transaction has a sender and a receiver. To find those of one side, a value begins with the
 * letter of its side: `s` if the sender alone has it, `r` if the receiver alone has it, `b` if both
 * have it. These lists are disjoint, and a transaction has as many entries as without the letters.
 */
export interface PostingFacet {
  readonly letter: string
  /** Length of a value in bytes. */
  readonly octets: number
  /** Returns the values of a row, as hexadecimal digits: one, or two for sender and receiver. */
  readonly digits: (row: object) => ReadonlyArray<string | null>
  /** SQL for the same values of a row `r`, as bytes. */
  readonly values: ReadonlyArray<string>
  /**
   * Filters that a query can combine with this one; the keys of combinations have their values in
   * this order. They are facets of the same list with one value.
   */
  readonly combinableFilters: ReadonlyArray<string>
}

/** Lists the rows under the values that the filter compares. */
interface Facet<
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

/** Selects lists of the facet of another filter, which compares sender and receiver. */
interface SideFilter<Facet = string> {
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

/** A filter that can be a facet: its values have an encoding, and the rows of `ListedRows` have them. */
interface FacetDeclaration<N extends PostingListName> {
  readonly scalar: keyof typeof encodings
  readonly compared: ReadonlyArray<(row: ListedRows[N]) => unknown>
}

/**
 * An entry for each filter that the contract declares for a list: a facet, or how the filter is
 * answered instead.
 */
export type FilterIndexes<N extends PostingListName> = {
  readonly [F in keyof Declared<N>]:
    | (Declared<N>[F] extends FacetDeclaration<N> ?
        | Facet<CombinableFilter<N>, ColumnsOf<Declared<N>[F]["compared"]>>
        | SideFilter<keyof Declared<N>>
      : never)
    | OtherFilter
}

const facet = <
  const Filters extends ReadonlyArray<string>,
  const Columns extends Facet["columns"]
>(
  letter: string,
  combinableFilters: Filters,
  ...columns: Columns
) => ({ letter, combinableFilters, columns })
const sideOf = <const Name>(facet: Name) => ({ facet })

/** Returns SQL that is null for 0 and 1, which are not accounts of users. */
const userAccount = (column: string): string => `CASE WHEN ${column} >= 256 THEN ${column} END`

/**
 * How each declared filter finds its rows. If a query names several facets, its key begins with the
 * first of them in this order.
 */
const filterIndexes = {
  accounts: {
    address: facet("a", ["tokenIds"], "r.address"),
    publicKey: facet("k", ["tokenIds"], "r.public_key"),
    tokenIds: facet("t", [], "r.token_id")
  },
  exits: {
    accountIndex: facet("i", [], "r.account_index"),
    address: facet("a", ["tokenId"], "r.address"),
    publicKey: facet("k", ["tokenId"], "r.public_key"),
    tokenId: facet("t", [], "r.token_id"),
    batchNum: "itemRange",
    onlyPendingWithdraws: "openItems"
  },
  transactions: {
    accountIndex: facet(
      "i",
      ["type"],
      userAccount("r.from_account_index"),
      userAccount("r.to_account_index")
    ),
    address: facet("a", ["tokenId", "type"], "r.from_address", "r.to_address"),
    publicKey: facet("k", ["tokenId", "type"], "r.from_public_key", "r.to_public_key"),
    tokenId: facet("t", ["type"], "r.token_id"),
    batchNum: "itemRange",
    type: facet("y", [], "r.type"),
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
    slotNum: facet("s", ["forgerAddr"], "r.slot_num"),
    forgerAddr: facet("f", [], "r.forger_addr")
  },
  bids: {
    slotNum: facet("s", ["bidderAddr"], "r.slot_num"),
    bidderAddr: facet("b", [], "r.bidder_addr"),
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

/** The first bytes of values that the sender alone, the receiver alone, or both have. */
const sides = { sender: "73", receiver: "72", both: "62" } as const

type AnyIndex = Facet | SideFilter | OtherFilter

const postingList = (name: PostingListName, letter: string): PostingList => {
  const { filters }: ListDeclaration = lists[name]
  const indexes = Object.entries<AnyIndex>(filterIndexes[name])
  const encodingOf = (filter: string) =>
    encodings[filters[filter]!.scalar as keyof typeof encodings] as KeyEncoding<unknown>
  const facets = indexes.flatMap(([filter, index]) =>
    typeof index === "string" || "facet" in index
      ? []
      : [[filter, postingFacet(index, encodingOf(filter), filters[filter]!)] as const]
  )
  const facetFilters = indexes.flatMap(([filter, index]) => {
    if (typeof index === "string") return []
    const facet = "facet" in index ? index.facet : filter
    const selected = sidesOf(filters[filter]!, filters[facet]!)
    const { digits } = encodingOf(facet)
    return [
      [filter, {
        facet,
        digits: (value: unknown) => selected.map((side) => side + digits(value))
      }] as const
    ]
  })
  return {
    table: tables[name],
    letter,
    facets: Object.fromEntries(facets),
    filters: Object.fromEntries(facetFilters)
  }
}

/** Returns the first bytes of the values of a facet that a filter selects. */
const sidesOf = (filter: Filter, facet: Filter): ReadonlyArray<string> => {
  const [sender, receiver] = facet.compared
  if (receiver === undefined) return [""]
  if (filter.compared.length === 2) return [sides.sender, sides.receiver, sides.both]
  return [filter.compared[0] === sender ? sides.sender : sides.receiver, sides.both]
}

const postingFacet = (
  { columns, combinableFilters, letter }: Facet,
  { digits, octets, sql }: KeyEncoding<unknown>,
  { compared: [senderOf, receiverOf] }: Filter
): PostingFacet => {
  const [sender, receiver] = columns
  if (receiverOf === undefined || receiver === undefined) {
    return {
      letter,
      combinableFilters,
      octets,
      values: [sql(sender)],
      digits: (row) => {
        const value = senderOf(row as never)
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
      const [from, to] = [senderOf(row as never), receiverOf(row as never)]
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
