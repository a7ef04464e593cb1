import type { AccountIndex } from "../../../core/encoding/mod.ts"
import { bigintAt, type BigintColumn, bigintColumn } from "./_columns.ts"
import type { RowCodec } from "./segmented_rows.ts"

/** The values that an update of an account replaced. */
export interface AccountUpdate {
  readonly index: AccountIndex
  /** Exact as a number, since a nonce is less than 2^40. */
  readonly nonceBefore: number
  readonly balanceBefore: bigint
}

/** Account updates in columns. */
export interface AccountUpdateColumns {
  readonly indexes: Float64Array
  readonly nonces: Float64Array
  readonly balances: BigintColumn
}

export const accountUpdateCodec: RowCodec<AccountUpdate, AccountUpdateColumns> = {
  encode: (rows) => ({
    indexes: Float64Array.from(rows, ({ index }) => index),
    nonces: Float64Array.from(rows, ({ nonceBefore }) => nonceBefore),
    balances: bigintColumn(rows.map(({ balanceBefore }) => balanceBefore))
  }),
  decode: ({ balances, indexes, nonces }, at) => ({
    index: indexes[at]!,
    nonceBefore: nonces[at]!,
    balanceBefore: bigintAt(balances, at)
  })
}
