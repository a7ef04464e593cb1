import { Schema, SchemaTransformation } from "effect"

/**
 * Greatest time that a ledger accepts, at the end of the year 8999: estimates based on it still
 * have a year of four digits.
 */
export const timeMsMax = Date.UTC(9000, 0) - 1

/** An integer within inclusive bounds. */
export const integer = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
export const uint32 = integer(0, 4294967295)
export const accountIndex = integer(0, 2 ** 48 - 1)
/** Milliseconds since 1970. */
export const timeMs = integer(0, timeMsMax)

const decimal = Schema.String.check(
  Schema.isPattern(/^(0|[1-9]\d{0,77})$/u, { expected: "a decimal integer of at most 78 digits" })
)
const bigUpTo = (maximum: bigint) =>
  decimal.pipe(Schema.decodeTo(
    Schema.BigInt.check(
      Schema.isBetweenBigInt({ minimum: 0n, maximum }, {
        expected: `an integer from 0 to ${maximum}`
      })
    ),
    SchemaTransformation.transform({ decode: BigInt, encode: String })
  ))
/** An exact, non-negative amount or field element: bigint in memory, a decimal string in JSON. */
export const big = bigUpTo(10n ** 78n - 1n)
/** A block number or a count: bigint in memory, a decimal string in JSON. */
export const uint64 = bigUpTo((1n << 64n) - 1n)
/** `0x` and lower-case hexadecimal digits. */
export const hex = (digits: number) =>
  Schema.String.check(Schema.isPattern(new RegExp(`^0x[0-9a-f]{${digits}}$`, "u"), {
    expected: `0x and ${digits} lower-case hexadecimal digits`
  }))
export const address = hex(40)
export const hash = hex(64)
/** A compressed public key in canonical form. */
export const publicKey = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/u, { expected: "64 lower-case hexadecimal digits" })
)
