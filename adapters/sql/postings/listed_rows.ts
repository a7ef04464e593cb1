import type { ListRows } from "../../../core/contract/mod.ts"
import {
  account,
  batch,
  bid,
  exit,
  from,
  integer,
  pick,
  queryOf,
  type RowQuery,
  shape,
  type Shape,
  transaction
} from "../entities/mod.ts"

/**
 * What is read of the rows of each list that has posting lists; `reads` has other indexes for slots
 * and tokens.
 */
export interface ListedRows {
  readonly accounts: Item & ListRows["accounts"]
  readonly exits: Item & ListRows["exits"]
  readonly transactions: Item & ListRows["transactions"]
  readonly batches: Item & ListRows["batches"]
  readonly bids: Item & Pick<ListRows["bids"], "bid">
  readonly coordinators: Item
}
interface Item {
  readonly itemId: number
}
export type PostingListName = keyof ListedRows

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

/** How these rows are stored. */
const listedRows: { readonly [N in PostingListName]: Shape<ListedRows[N]> } = {
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
  bids: shape({ itemId, bid: from("r", bid) }),
  coordinators: shape({ itemId })
}

/** Returns the query of the rows `r` of a list that meet a condition. */
export const listedRowsQuery = <List extends PostingListName>(
  list: List,
  condition: string
): RowQuery<ListedRows[List]> =>
  queryOf(listedRows[list], `${tables[list]} AS r WHERE ${condition}`)

/** Returns the query of the rows of a list with some item ids. */
export const listedRowsByItem = <List extends PostingListName>(
  list: List
): RowQuery<ListedRows[List]> => listedRowsQuery(list, "r.item_id = ANY($1::bigint[])")
