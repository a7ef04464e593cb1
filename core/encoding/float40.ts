import * as Result from "effect/Result"
import { EncodingError } from "./encoding_error.ts"

/**
 * An amount in its signed form: an integer 0..2^40−1, five bits of decimal exponent above 35 bits
 * of mantissa (PROTOCOL.md "Float40").
 */
export type Float40 = number

/**
 * Returns the canonical encoding of an amount, with the smallest exponent that fits. Fails if
 * float40 cannot hold the amount exactly.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { decodeFloat40, encodeFloat40, floorFloat40 } from "rollup-node-api"
 *
 * const exact = Result.getOrThrow(encodeFloat40(3n * 10n ** 18n))
 * console.log(decodeFloat40(exact)) // => 3000000000000000000n
 *
 * const amount = 10n ** 18n + 1n
 * console.log(Result.isFailure(encodeFloat40(amount))) // => true
 * console.log(decodeFloat40(Result.getOrThrow(floorFloat40(amount)))) // => 1000000000000000000n
 * ```
 */
export function encodeFloat40(amount: bigint): Result.Result<Float40, EncodingError> {
  if (amount >= 0n && amount < MANTISSA_LIMIT) return Result.succeed(Number(amount))
  const exponent = exponentOf(amount)
  if (exponent === undefined) return Result.fail(new EncodingError(String(amount), RANGE_RULE))
  const power = POWERS[exponent]!
  return amount % power === 0n
    ? Result.succeed(compose(exponent, amount / power))
    : Result.fail(
      new EncodingError(
        String(amount),
        "an amount of at most 35 significant bits times a power of ten"
      )
    )
}

/**
 * Returns the encoding of the greatest amount that float40 can hold and that is at most `amount`.
 * Fails if the amount is negative or too large for the greatest exponent.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { decodeFloat40, floorFloat40 } from "rollup-node-api"
 *
 * const float = Result.getOrThrow(floorFloat40(123_456_789_012_345n))
 * console.log(decodeFloat40(float)) // => 123456789010000n
 * console.log(Result.isFailure(floorFloat40(-1n))) // => true
 * ```
 */
export function floorFloat40(amount: bigint): Result.Result<Float40, EncodingError> {
  const exponent = exponentOf(amount)
  return exponent === undefined
    ? Result.fail(new EncodingError(String(amount), RANGE_RULE))
    : Result.succeed(compose(exponent, amount / POWERS[exponent]!))
}

/**
 * Returns the amount of any 40-bit value, canonical or not. Throws a RangeError if it is not in
 * 0..2^40−1.
 *
 * @example
 * ```ts
 * import { decodeFloat40 } from "rollup-node-api"
 *
 * // exponent 2, mantissa 15
 * console.log(decodeFloat40(2 * 2 ** 35 + 15)) // => 1500n
 * ```
 */
export function decodeFloat40(float: Float40): bigint {
  if (!Number.isInteger(float) || float < 0 || float >= FLOAT_LIMIT) {
    throw new RangeError(`Float40 ${float}, expected an integer 0..2^40-1`)
  }
  return BigInt(float % MANTISSA_LIMIT_NUMBER) * POWERS[Math.floor(float / MANTISSA_LIMIT_NUMBER)]!
}

const MANTISSA_LIMIT_NUMBER = 2 ** 35
const MANTISSA_LIMIT = 1n << 35n
const FLOAT_LIMIT = 2 ** 40
const POWERS: ReadonlyArray<bigint> = Array.from(
  { length: 32 },
  (_, exponent) => 10n ** BigInt(exponent)
)
/**
 * An amount below the n-th limit, divided by 10^n, fits into the mantissa. A comparison is cheaper
 * than repeated division.
 */
const LIMITS = POWERS.map((power) => power * MANTISSA_LIMIT)
const RANGE_RULE = `an amount from 0 to ${decodeFloat40(FLOAT_LIMIT - 1)}`

/** Returns the smallest exponent whose mantissa, rounded down, fits into 35 bits. */
function exponentOf(amount: bigint): number | undefined {
  if (amount < 0n) return undefined
  for (let exponent = 0; exponent < LIMITS.length; exponent++) {
    if (amount < LIMITS[exponent]!) return exponent
  }
  return undefined
}

function compose(exponent: number, mantissa: bigint): Float40 {
  return exponent * MANTISSA_LIMIT_NUMBER + Number(mantissa)
}
