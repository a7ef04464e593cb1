import { PgTypes } from "@effect/sql-pg"
import { feeUnits, type PoolState } from "../../../core/domain/mod.ts"
import type { Pooled } from "../../../core/ports/mod.ts"
import { bigints, type Column, hexBytes, smallints, texts } from "../connection/mod.ts"
import { orderedPooled, pooled, queryOf, type RowQuery } from "../entities/mod.ts"

/** Returns a query of rows `r` of `pool_transaction`. */
export const pooledQuery = (from: string): RowQuery<Pooled> => queryOf(pooled, from)

const inserted = Object.entries(orderedPooled.parameters)

/**
 * Returns the statement that inserts rows. Its parameters, from `insertParameters`, follow after
 * `precedingParameters` parameters.
 */
export const insertStatement = (precedingParameters: number): string => `
INSERT INTO pool_transaction (${inserted.map(([name]) => name).join(", ")})
SELECT * FROM unnest(${
  inserted.map(([, { type }], i) => `$${precedingParameters + i + 1}::${type}[]`).join(", ")
})`

export const insertParameters = (rows: ReadonlyArray<Pooled>): ReadonlyArray<string> => {
  const ordered = rows.map((row) => ({ ...row, feeUnits: feeUnits(row.transaction) }))
  return inserted.map(([, { arrayOf }]) => arrayOf(ordered))
}

/** The columns of `pool` with the number of transactions in each state. */
export interface CountsRow extends Readonly<Record<PoolState, bigint>> {}

export const countsOf = (row: CountsRow): { readonly [State in PoolState]: number } => ({
  pend: Number(row.pend),
  fing: Number(row.fing),
  fged: Number(row.fged),
  invl: Number(row.invl)
})

export const numberOrNull = (value: bigint | null): number | null =>
  value === null ? null : Number(value)

/** Returns the bytes of hexadecimal digits, with or without `0x`. */
export const bytesOf = (hex: string): Uint8Array =>
  Buffer.from(hex.startsWith("0x") ? hex.slice(2) : hex, "hex")

export const int8 = (value: number | bigint): PgTypes.Parameter => PgTypes.int8(BigInt(value))

const listOf = <Value>(
  column: (get: (value: Value | null) => Value | null) => Column<Value | null>
) => column((value) => value).arrayOf
/** Arrays of values, which may contain nulls, as parameters in text format. */
export const byteaList: (hex: ReadonlyArray<string | null>) => string = listOf(hexBytes)
export const bigintList: (values: ReadonlyArray<number | bigint | null>) => string = listOf<
  number | bigint
>(bigints)
export const smallintList: (values: ReadonlyArray<number | null>) => string = listOf(smallints)
export const textList: (values: ReadonlyArray<string | null>) => string = listOf(texts)
