import {
  account,
  batch,
  bid,
  exit,
  from,
  inferredShape,
  integer,
  pick,
  queryOf,
  type RowQuery,
  type Shape,
  type ShapeRow,
  transaction
} from "../entities/mod.ts"

/** The table of the rows of each list. */
export const tables: { readonly [N in PostingListName]: string } = {
  accounts: "account",
  exits: "exit",
  transactions: "transaction",
  batches: "batch",
  bids: "bid",
  coordinators: "coordinator"
}

const itemId = ["item_id", integer] as const

/**
 * What is read of the rows of each list that has posting lists; `reads` has other indexes for slots
 * and tokens.
 */
const listedRows = {
  accounts: pick(account, "itemId", "address", "publicKey", "tokenId"),
  exits: pick(
    exit,
    "itemId",
    "accountIndex",
    "address",
    "publicKey",
    "tokenId",
    "batchNum",
    "instantWithdrawn",
    "delayedWithdrawn"
  ),
  transactions: pick(
    transaction,
    "itemId",
    "fromAccountIndex",
    "fromAddress",
    "fromPublicKey",
    "toAccountIndex",
    "toAddress",
    "toPublicKey",
    "tokenId",
    "batchNum",
    "type"
  ),
  batches: pick(batch, "itemId", "batchNum", "slotNum", "forgerAddr"),
  bids: inferredShape({ itemId, bid: from("r", bid) }),
  coordinators: inferredShape({ itemId })
}
export type PostingListName = keyof typeof listedRows
export type ListedRows = {
  readonly [N in PostingListName]: ShapeRow<typeof listedRows[N]>
}
const shapes: { readonly [N in PostingListName]: Shape<ListedRows[N]> } = listedRows

/** Returns the query of the rows `r` of a list that meet a condition. */
export const listedRowsQuery = <List extends PostingListName>(
  list: List,
  condition: string
): RowQuery<ListedRows[List]> => queryOf(shapes[list], `${tables[list]} AS r WHERE ${condition}`)

/** Returns the query of the rows of a list with some item ids. */
export const listedRowsByItem = <List extends PostingListName>(
  list: List
): RowQuery<ListedRows[List]> => listedRowsQuery(list, "r.item_id = ANY($1::bigint[])")
