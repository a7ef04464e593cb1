import type { AccountIndex } from "../../../core/encoding/mod.ts"
import { bigintAt, type BigintColumn, bigintColumn } from "./_columns.ts"
import type { RowCodec } from "./grouped_rows.ts"

/** The values of an account after an update, and a link to those before it. */
export interface AccountUpdate {
  readonly index: AccountIndex
  /** Exact as a number, since a nonce is less than 2^40. */
  readonly nonce: number
  readonly balance: bigint
  /** Position of the account's update before this one; −1 if this one created the account. */
  readonly previous: number
}

/** Account updates in columns. An account index and a position have 32 bits: rows are in memory. */
export interface AccountUpdateColumns {
  readonly indexes: Uint32Array
  readonly nonces: Float64Array
  readonly balances: BigintColumn
  /** Positions plus one, 0 if there is none. */
  readonly previous: Uint32Array
}

export const accountUpdateCodec: RowCodec<AccountUpdate, AccountUpdateColumns> = {
  encode: (rows) => ({
    indexes: Uint32Array.from(rows, ({ index }) => index),
    nonces: Float64Array.from(rows, ({ nonce }) => nonce),
    balances: bigintColumn(rows.map(({ balance }) => balance)),
    previous: Uint32Array.from(rows, ({ previous }) => previous + 1)
  }),
  decode: ({ balances, indexes, nonces, previous }, at) => ({
    index: indexes[at]!,
    nonce: nonces[at]!,
    balance: bigintAt(balances, at),
    previous: previous[at]! - 1
  })
}
