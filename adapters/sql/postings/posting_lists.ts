import {
  type Account,
  type Batch,
  type Bid,
  type Coordinator,
  type Exit,
  type Transaction,
  transactionTypes
} from "../../../core/domain/mod.ts"
import { isUserAccount } from "../../../core/encoding/mod.ts"

/** What a row has of a facet, as hexadecimal digits; nothing where it is null. */
type Digits<Row> = (row: Row) => ReadonlyArray<string | null>

/**
 * How the lists find their rows: one line for each filter, once as SQL over the rows of a table `r`, once for a row in memory. A key is
 * the list, the facet and the value, as bytes; where one is NULL the row is not listed.
 */
export interface PostingList<Row = never> {
  /** Table of the rows; its `item_id` is what is listed. */
  readonly table: string
  /** Letter that the keys of the list begin with. */
  readonly letter: string
  readonly facets: { readonly [filter: string]: PostingFacet<Row> }
}

export interface PostingFacet<Row = never> {
  readonly letter: string
  /** The values of a row as bytes: two for sender and receiver. */
  readonly values: ReadonlyArray<string>
  readonly digits: Digits<Row>
  /** Filters that can be asked together with this one, all of them facets of the same list; keys name their values in this order. */
  readonly children: ReadonlyArray<string>
}

const facet = <Row>(
  letter: string,
  values: ReadonlyArray<string>,
  digits: Digits<Row>,
  ...children: ReadonlyArray<string>
): PostingFacet<Row> => ({ letter, values, digits, children })

const int8 = (value: number): string => value.toString(16).padStart(16, "0")
const int2 = (value: number): string => value.toString(16).padStart(4, "0")
const plain = (prefixed: string): string => prefixed.slice(2)
const plainOrNull = (prefixed: string | null): string | null =>
  prefixed === null ? null : plain(prefixed)
const typeDigits = new Map<string, string>(
  transactionTypes.map((type, number) => [type, int2(number)])
)

/** 0 and 1 are no accounts: nobody asks for what they have in common. */
const userAccount = (column: string): string =>
  `CASE WHEN ${column} >= 256 THEN int8send(${column}) END`
const userAccountDigits = (index: number | null): string | null =>
  index !== null && isUserAccount(index) ? int8(index) : null

export const postingLists = {
  accounts: {
    table: "account",
    letter: "A",
    facets: {
      address: facet("a", ["r.address"], (row: Account) => [plain(row.address)], "tokenIds"),
      publicKey: facet("k", ["r.public_key"], (row: Account) => [row.publicKey], "tokenIds"),
      tokenIds: facet("t", ["int8send(r.token_id)"], (row: Account) => [int8(row.tokenId)])
    }
  },
  exits: {
    table: "exit",
    letter: "E",
    facets: {
      accountIndex: facet(
        "i",
        ["int8send(r.account_index)"],
        (row: Exit) => [int8(row.accountIndex)]
      ),
      address: facet("a", ["r.address"], (row: Exit) => [plain(row.address)], "tokenId"),
      publicKey: facet("k", ["r.public_key"], (row: Exit) => [row.publicKey], "tokenId"),
      tokenId: facet("t", ["int8send(r.token_id)"], (row: Exit) => [int8(row.tokenId)])
    }
  },
  transactions: {
    table: "transaction",
    letter: "T",
    facets: {
      accountIndex: facet(
        "i",
        [userAccount("r.from_account_index"), userAccount("r.to_account_index")],
        (
          row: Transaction
        ) => [userAccountDigits(row.fromAccountIndex), userAccountDigits(row.toAccountIndex)],
        "type"
      ),
      address: facet(
        "a",
        ["r.from_address", "r.to_address"],
        (row: Transaction) => [plainOrNull(row.fromAddress), plainOrNull(row.toAddress)],
        "tokenId",
        "type"
      ),
      publicKey: facet(
        "k",
        ["r.from_public_key", "r.to_public_key"],
        (row: Transaction) => [row.fromPublicKey, row.toPublicKey],
        "tokenId",
        "type"
      ),
      tokenId: facet(
        "t",
        ["int8send(r.token_id)"],
        (row: Transaction) => [int8(row.tokenId)],
        "type"
      ),
      type: facet("y", ["int2send(r.type)"], (row: Transaction) => [typeDigits.get(row.type)!])
    }
  },
  batches: {
    table: "batch",
    letter: "B",
    facets: {
      slotNum: facet(
        "s",
        ["int8send(r.slot_num)"],
        (row: Batch) => [int8(row.slotNum)],
        "forgerAddr"
      ),
      forgerAddr: facet("f", ["r.forger_addr"], (row: Batch) => [plain(row.forgerAddr)])
    }
  },
  bids: {
    table: "bid",
    letter: "D",
    facets: {
      slotNum: facet(
        "s",
        ["int8send(r.slot_num)"],
        (row: Bid) => [int8(row.slotNum)],
        "bidderAddr"
      ),
      bidderAddr: facet("b", ["r.bidder_addr"], (row: Bid) => [plain(row.bidderAddr)])
    }
  },
  coordinators: { table: "coordinator", letter: "C", facets: {} }
} as const satisfies { readonly [List in keyof ListedRows]: PostingList<ListedRows[List]> }

/** What the items of each list are. */
export interface ListedRows {
  readonly accounts: Account
  readonly exits: Exit
  readonly transactions: Transaction
  readonly batches: Batch
  readonly bids: Bid
  readonly coordinators: Coordinator
}

export type PostingListName = keyof typeof postingLists

const bytesOf = (text: string): string =>
  `'\\x${[...text].map((letter) => letter.charCodeAt(0).toString(16)).join("")}'::bytea`

/** The keys of the row `r`: that of the whole list, and one for each value of each facet. */
export const keysOfRow = ({ facets, letter }: PostingList): ReadonlyArray<string> => [
  bytesOf(`${letter}*`),
  ...Object.values(facets).flatMap((each) =>
    each.values.map((value) => `${bytesOf(letter + each.letter)} || ${value}`)
  )
]

/** The keys below `parent`, a key of the row `r` in a facet with these children: one for each combination of them. */
export const keysBelow = (
  list: PostingList,
  filter: string,
  parent: string
): ReadonlyArray<string> =>
  combinations(list.facets[filter]!.children).map((names) =>
    [
      parent,
      ...names.map((name) =>
        `${bytesOf(list.facets[name]!.letter)} || ${list.facets[name]!.values[0]}`
      )
    ].join(" || ")
  )

/** Every choice of one or more of the names, each in their order. */
export const combinations = (names: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  names.reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (chosen, name) => [...chosen, ...chosen.map((one) => [...one, name])],
    [[]]
  ).slice(1)

/** The key under which rows with these values are listed: that of `filter`, and of some of its children in their order. */
export const postingKey = (
  list: PostingList,
  ...path: ReadonlyArray<readonly [filter: string, value: Uint8Array]>
): Uint8Array => {
  if (path.length === 0) return Buffer.from(`${list.letter}*`, "latin1")
  return Buffer.concat(path.flatMap(([filter, value], depth) => [
    Buffer.from(
      depth === 0 ? list.letter + list.facets[filter]!.letter : list.facets[filter]!.letter,
      "latin1"
    ),
    value
  ]))
}
