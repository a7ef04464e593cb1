import { PgTypes } from "@effect/sql-pg"
import { bigints, type Column, hexBytes, smallints, texts } from "../connection/mod.ts"

/** The bytes of hexadecimal digits, with or without `0x`. */
export const bytesOf = (hex: string): Uint8Array =>
  Buffer.from(hex.startsWith("0x") ? hex.slice(2) : hex, "hex")

/** The digits of bytes, without `0x`. */
export const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")
export const prefixedOf = (bytes: Uint8Array): string => `0x${hexOf(bytes)}`

export const int8 = (value: number | bigint): PgTypes.Parameter => PgTypes.int8(BigInt(value))

const listOf = <Value>(
  column: (get: (value: Value | null) => Value | null) => Column<Value | null>
) => column((value) => value).arrayOf
/** Lists of values as parameters, nulls among them or not. */
export const byteaList: (hex: ReadonlyArray<string | null>) => string = listOf(hexBytes)
export const bigintList: (values: ReadonlyArray<number | bigint | null>) => string = listOf<
  number | bigint
>(bigints)
export const smallintList: (values: ReadonlyArray<number | null>) => string = listOf(smallints)
export const textList: (values: ReadonlyArray<string | null>) => string = listOf(texts)
