import { Schema, SchemaTransformation } from "effect"
import { ACCOUNT_INDEX_MAX } from "../encoding/mod.ts"

/*
 * Schemas of single values in memory. The interface over HTTP, the embedded node and the feed decode
 * into them. The annotation `expected` states the rule of a schema: error messages quote it after
 * the word "expected". The bounds of a schema are annotations too: its texts and documents have the
 * same ones.
 */

/** Returns the schema of an integer within bounds that a double represents exactly. */
export const integer = (minimum: number, maximum: number): Schema.Codec<number> => {
  const expected = `an integer from ${minimum} to ${maximum}`
  return Schema.Number.annotate({ expected }).check(
    Schema.isInt({ expected }).abort(),
    Schema.isBetween({ minimum, maximum }, { expected, minimum, maximum })
  )
}

/** Returns the schema of an integer that may exceed 2^53. */
export const bigInteger = (minimum: bigint, maximum: bigint): Schema.Codec<bigint> => {
  const expected = `an integer from ${minimum} to ${maximum}`
  return Schema.BigInt.annotate({ expected }).check(
    Schema.isBetweenBigInt({ minimum, maximum }, { expected, minimum, maximum })
  )
}

/** Returns the schema of lower-case hexadecimal digits after a prefix. */
export const hexadecimal = (prefix: string, digits: number): Schema.Codec<string> => {
  const expected = `${prefix === "" ? "" : `${prefix} and `}${digits} lower-case hexadecimal digits`
  return Schema.String.annotate({ expected }).check(
    Schema.isPattern(new RegExp(`^${prefix}[0-9a-f]{${digits}}$`, "u"), {
      expected,
      prefix,
      digits
    })
  )
}

/** Returns the schema of one of several texts. */
export const oneOf = <const T extends string>(values: ReadonlyArray<T>): Schema.Codec<T> =>
  Schema.Literals(values).annotate({ expected: `one of ${values.join(", ")}` })

/** Returns the schema of a list of values; its rule includes the rule of the values. */
export const listOf = <T>(item: Schema.Codec<T>): Schema.Codec<ReadonlyArray<T>> =>
  Schema.Array(item).annotate({ expected: `an array, each ${ruleOf(item)}` })

/** Returns the rule of a schema of this module. */
export const ruleOf = (schema: Schema.Constraint): string =>
  Schema.resolveAnnotations(schema)!.expected as string

/** Returns the bounds of a schema of `integer` or `bigInteger`, both included. */
export const boundsOf = <T extends number | bigint>(schema: Schema.Codec<T>) =>
  Schema.resolveAnnotations(schema) as { readonly minimum: T; readonly maximum: T }

/** Returns the prefix and the number of digits of a schema of `hexadecimal`. */
export const digitsOf = (schema: Schema.Codec<string>) =>
  Schema.resolveAnnotations(schema) as { readonly prefix: string; readonly digits: number }

export const boolean: Schema.Codec<boolean> = Schema.Boolean.annotate({ expected: "true or false" })
export const text: Schema.Codec<string> = Schema.String.annotate({ expected: "a text" })
export const filledText: Schema.Codec<string> = Schema.String.annotate({
  expected: "a text that is not empty"
}).check(Schema.isMinLength(1, { expected: "a text that is not empty" }))
/** A finite number from 0 on: an average, or US dollars. */
export const quantity: Schema.Codec<number> = Schema.Finite.annotate({
  expected: "a number from 0 on"
}).check(Schema.isGreaterThanOrEqualTo(0, { expected: "a number from 0 on" }))

/** A currency by its code of ISO 4217, such as `EUR`. */
export const currencyCode: Schema.Codec<string> = Schema.String.annotate({
  expected: "three capital letters, such as EUR"
}).check(Schema.isPattern(/^[A-Z]{3}$/u, { expected: "three capital letters, such as EUR" }))
export const positive: Schema.Codec<number> = Schema.Finite.annotate({
  expected: "a number above 0"
}).check(Schema.isGreaterThan(0, { expected: "a number above 0" }))

export const uint32 = integer(0, 4294967295)
export const uint64 = bigInteger(0n, (1n << 64n) - 1n)
/** The greatest number in a word of a contract. */
export const uint256 = bigInteger(0n, (1n << 256n) - 1n)
/** An amount or field element of at most 78 digits. */
export const digits78 = bigInteger(0n, 10n ** 78n - 1n)
export const safeInteger = integer(0, Number.MAX_SAFE_INTEGER)

export const accountIndex = integer(0, ACCOUNT_INDEX_MAX)
export const ethereumAddress = hexadecimal("0x", 40)
/** A compressed BabyJubJub key in bytes of little-endian order. */
export const publicKey = hexadecimal("", 64)
export const transactionId = hexadecimal("0x", 66)
export const hash = hexadecimal("0x", 64)
/** A compressed BabyJubJub signature: R8, then S. */
export const signature = hexadecimal("", 128)
/** An Ethereum signature: r, s, v. */
export const ethSignature = hexadecimal("0x", 130)
/**
 * Greatest time that a ledger accepts, at the end of the year 8999: estimates based on it still
 * have a year of four digits.
 */
export const timeMsMax = Date.UTC(9000, 0) - 1
/** Milliseconds since 1970. */
export const timeMs = integer(0, timeMsMax)
/** Greatest time in RFC 3339, and upper bound of estimates. */
export const estimateMsMax = Date.UTC(10000, 0) - 1
export const estimatedTimeMs = integer(0, estimateMsMax)

/**
 * Returns the annotations of an object of the feed.
 *
 * @param identifier name of its JSON Schema
 */
export const objectNamed = (identifier: string, description: string) => ({
  identifier,
  description,
  // without it, the message would name the schema
  message: "Expected an object"
})

/* Values of the feed, in JSON as decimal strings: no reader rounds them. */

const decimalText = (
  value: Schema.Codec<bigint>,
  digitsMax: number
): Schema.Codec<bigint, string> =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^(0|[1-9]\\d{0,${digitsMax - 1}})$`, "u"), {
      expected: `a decimal integer of at most ${digitsMax} digits`,
      description: `In decimal digits: ${ruleOf(value)}`
    })
  ).pipe(
    Schema.decodeTo(value, SchemaTransformation.transform({ decode: BigInt, encode: String }))
  )
export const digits78Text = decimalText(digits78, 78)
export const uint64Text = decimalText(uint64, 20)
