import { type SkipCode, type TransactionType, transactionTypes } from "../../../core/domain/mod.ts"
import { quoted, readText, storedText } from "../connection/mod.ts"

/*
 * The types of columns, each with its value in JavaScript. The driver returns `bigint` columns as
 * bigint, `numeric` as decimal text, `bytea` as bytes, and the other types as they are.
 */

/**
 * A type of a column whose values are `Value`, null included if it is nullable. It is invariant, so
 * that a declaration with a wider or a narrower type than that of the field does not compile.
 */
export interface ColumnType<in out Value> {
  /** SQL type without `NOT NULL`. */
  readonly type: string
  /** Condition of a value, in which `%` stands for the column. */
  readonly check?: string
  readonly isNullable: boolean
  /** Element type of the array parameter. */
  readonly parameter: string
  /** Cast from the element to the column, if their types differ. */
  readonly cast?: string
  /** What a query selects of the column `%`, and its type, if not the column itself. */
  readonly selected?: { readonly sql: string; readonly type: string }
  /** Returns the text of a value in an array parameter. Never called with null. */
  readonly write: (value: Value) => string | number | bigint
  /** Returns the value that the driver returned. */
  readonly read: (stored: unknown) => Value
}

type Options<Value> =
  & Pick<ColumnType<Value>, "read" | "write">
  & Partial<Omit<ColumnType<Value>, "type" | "read" | "write">>

const columnType = <Value>(type: string, options: Options<Value>): ColumnType<Value> => ({
  type,
  isNullable: false,
  parameter: type,
  ...options
})

/** Returns the type with NULL as a further value. */
export const nullable = <Value>(type: ColumnType<Value>): ColumnType<Value | null> => ({
  ...type,
  isNullable: true,
  write: (value) => type.write(value!),
  read: (stored) => stored === null ? null : type.read(stored)
})

/** Returns the type with another condition. */
export const checked = <Value>(type: ColumnType<Value>, check: string): ColumnType<Value> => ({
  ...type,
  check
})

/**
 * Returns a nullable type for a table in which the column is never NULL, as the batch of a forged
 * transaction.
 */
export const notNull = <Value>(
  type: ColumnType<Value>,
  check: string
): ColumnType<Value> => ({ ...type, isNullable: false, check })

/* Numbers */

const identity = <Value>(value: Value): Value => value
const asNumber = (stored: unknown): number => Number(stored)
const asBigInt = (stored: unknown): bigint => BigInt(stored as string | bigint)

/** A safe integer. */
export const integer = columnType<number>("bigint", { write: identity, read: asNumber })
export const uint32 = checked(integer, "% BETWEEN 0 AND 4294967295")
/** The number of a batch, from 1. */
export const batchNumber = checked(integer, "% BETWEEN 1 AND 4294967295")
export const accountIndex = checked(integer, "% BETWEEN 0 AND 281474976710655")
const smallInteger = columnType<number>("smallint", { write: identity, read: asNumber })
export const int16 = smallInteger
export const uint8 = checked(smallInteger, "% BETWEEN 0 AND 255")
export const uint16 = columnType<number>("integer", {
  check: "% BETWEEN 0 AND 65535",
  parameter: "bigint",
  write: identity,
  read: asNumber
})
export const double = columnType<number>("double precision", {
  parameter: "float8",
  write: identity,
  read: asNumber
})

/** A nonce. */
export const uint40 = columnType<bigint>("bigint", {
  check: "% BETWEEN 0 AND 1099511627775",
  write: identity,
  read: asBigInt
})
/** The number of an Ethereum block. */
export const uint64 = columnType<bigint>("numeric(20, 0)", {
  check: "% BETWEEN 0 AND 18446744073709551615",
  parameter: "numeric",
  write: identity,
  read: asBigInt
})
/** An amount of a token, or an element of the field of the proofs. */
export const bigInteger = columnType<bigint>("numeric(78, 0)", {
  check: "% >= 0",
  parameter: "numeric",
  // the driver builds the same text from the digits of a numeric, in JavaScript
  selected: { sql: "%::text", type: "text" },
  write: identity,
  read: asBigInt
})
/** A sum without an upper bound. */
export const sum = columnType<bigint>("numeric", { write: identity, read: asBigInt })

/* Lists of integers. They are passed as text, since the rows of a two-dimensional array must have the same length. */

const list = <Value extends number | bigint>(
  element: string,
  cast: string,
  read: (stored: unknown) => Value
): ColumnType<ReadonlyArray<Value>> =>
  columnType(`${element}[]`, {
    parameter: "text",
    cast: `::${cast}[]`,
    write: (values) => `"{${values.join(",")}}"`,
    read: (stored) => Object.freeze((stored as ReadonlyArray<unknown>).map(read))
  })
export const integers = list("bigint", "bigint", asNumber)
export const uint40s = list("bigint", "bigint", asBigInt)
export const bigIntegers = list("numeric(78, 0)", "numeric", asBigInt)

/* Bytes, as hexadecimal digits */

/** The database writes the digits: in JavaScript, bytes would be copied and converted one by one. */
const hexText = { sql: "encode(%, 'hex')", type: "text" }

const digits = (octets: number): ColumnType<string> =>
  columnType("bytea", {
    check: `octet_length(%) = ${octets}`,
    selected: hexText,
    write: (value) => `\\\\x${value}`,
    read: (stored) => stored as string
  })
const prefixedDigits = (octets: number): ColumnType<string> =>
  columnType("bytea", {
    check: `octet_length(%) = ${octets}`,
    selected: hexText,
    write: (value) => `\\\\x${value.slice(2)}`,
    read: (stored) => `0x${stored as string}`
  })
export const publicKey = digits(32)
export const address = prefixedDigits(20)
export const hash = prefixedDigits(32)
export const transactionId = prefixedDigits(33)

/* Other values */

export const boolean = columnType<boolean>("boolean", {
  write: (value) => value ? "t" : "f",
  read: (stored) => stored === true
})

/** A text without NUL and lone surrogates, which PostgreSQL refuses. */
export const plainText = columnType<string>("text", {
  write: quoted,
  read: (stored) => stored as string
})
/** Any text, in the form of `storedText`. */
export const text = columnType<string>("text", {
  write: (value) => quoted(storedText(value)),
  read: (stored) => readText(stored as string)
})
/** One of a few texts. */
export const oneOf = <Value extends string>(values: ReadonlyArray<Value>): ColumnType<Value> =>
  columnType("text", {
    check: `% IN (${values.map((value) => `'${value}'`).join(", ")})`,
    write: quoted,
    read: (stored) => stored as Value
  })

export const skipCode = columnType<SkipCode>("smallint", {
  write: identity,
  read: (stored) => stored as SkipCode
})

const typeNumbers = new Map(transactionTypes.map((type, number) => [type, number]))
/** A transaction type, as its number. */
export const transactionType = columnType<TransactionType>("smallint", {
  check: `% BETWEEN 0 AND ${transactionTypes.length - 1}`,
  write: (type) => typeNumbers.get(type)!,
  read: (stored) => transactionTypes[stored as number]!
})
