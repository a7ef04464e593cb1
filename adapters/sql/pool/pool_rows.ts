import { PgTypes } from "@effect/sql-pg"
import { feeUnits } from "../../../core/domain/mod.ts"
import type { Pooled } from "../../../core/ports/mod.ts"
import { insertInto } from "../connection/mod.ts"
import {
  type OrderedPooled,
  orderedPooled,
  pooled,
  poolNumbers,
  queryOf,
  type RowQuery
} from "../entities/mod.ts"

/** Returns a query of rows `r` of `pool_transaction`. */
export const pooledQuery = (from: string): RowQuery<Pooled> => queryOf(pooled, from)

/** Returns the statement that inserts rows, whose parameters begin with the number `first`. */
export const insertPooled = (first = 1) =>
  insertInto("pool_transaction", orderedPooled.parameters, { first })

/** Returns a transaction with the fee by which it is ordered. */
export const ordered = (row: Pooled): OrderedPooled => ({
  ...row,
  feeUnits: feeUnits(row.transaction)
})

/** Selects the row of `pool`. */
export const numbersQuery = queryOf(poolNumbers, "pool AS r")

/** Returns the bytes of hexadecimal digits, with or without `0x`. */
export const bytesOf = (hex: string): Uint8Array =>
  Buffer.from(hex.startsWith("0x") ? hex.slice(2) : hex, "hex")

export const int8 = (value: number | bigint): PgTypes.Parameter => PgTypes.int8(BigInt(value))
