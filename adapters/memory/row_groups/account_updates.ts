import type { AccountIndex } from "../../../core/encoding/mod.ts"
import type { RowCodec } from "./grouped_rows.ts"
import { objectAt, type ObjectColumns, objectColumns } from "./_columns.ts"

/** The values of an account after an update, and a link to those before it. */
export interface AccountUpdate {
  readonly index: AccountIndex
  /** Exact as a number, since a nonce is less than 2^40. */
  readonly nonce: number
  readonly balance: bigint
  /** Position of the account's update before this one; −1 if this one created the account. */
  readonly previous: number
}

/** Account updates in columns. An account index has 32 bits: rows are in memory. */
export interface AccountUpdateColumns {
  readonly indexes: Uint32Array
  readonly others: ObjectColumns<AccountUpdate>
}

export const accountUpdateCodec: RowCodec<AccountUpdate, AccountUpdateColumns> = {
  encode: (rows) => ({
    indexes: Uint32Array.from(rows, ({ index }) => index),
    others: objectColumns(rows, ["nonce", "balance", "previous"])
  }),
  decode: ({ indexes, others }, at) => ({ ...objectAt(others, at), index: indexes[at]! })
}
