import * as Result from "effect/Result"
import { EncodingError } from "./encoding_error.ts"

/** An amount as signatures carry it: an integer 0..2^40−1, five bits of decimal exponent above 35 bits of mantissa. */
export type Float40 = number

/** The highest amount a float40 holds, (2^35−1)·10^31. */
export const FLOAT40_AMOUNT_MAX = 343597383670000000000000000000000000000000n

/** The one canonical encoding of an amount (the smallest exponent that fits); fails when it cannot be held exactly. */
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

/** The encoding of the highest amount that is not above the given one; fails when that is negative or beyond the highest exponent. */
export function floorFloat40(amount: bigint): Result.Result<Float40, EncodingError> {
  const exponent = exponentOf(amount)
  return exponent === undefined
    ? Result.fail(new EncodingError(String(amount), RANGE_RULE))
    : Result.succeed(compose(exponent, amount / POWERS[exponent]!))
}

/** The amount of any 40-bit value, canonical or not; throws a RangeError outside 0..2^40−1. */
export function decodeFloat40(float: Float40): bigint {
  if (!Number.isInteger(float) || float < 0 || float >= FLOAT_LIMIT) {
    throw new RangeError(`Float40 ${float}, expected an integer 0..2^40-1`)
  }
  return BigInt(float % MANTISSA_LIMIT_NUMBER) * POWERS[Math.floor(float / MANTISSA_LIMIT_NUMBER)]!
}

/** Five big-endian bytes. */
export function float40ToBytes(float: Float40): Uint8Array {
  const low = float >>> 0
  return Uint8Array.of(Math.floor(float / 2 ** 32), low >>> 24, low >>> 16, low >>> 8, low)
}

/** Reads the five big-endian bytes at `offset`; throws a RangeError when there are fewer. */
export function float40FromBytes(bytes: Uint8Array, offset = 0): Float40 {
  if (offset + 5 > bytes.length) {
    throw new RangeError(`Float40 at byte ${offset} of ${bytes.length}, expected 5 bytes`)
  }
  let float = 0
  for (let i = offset; i < offset + 5; i++) float = float * 256 + bytes[i]!
  return float
}

const MANTISSA_LIMIT_NUMBER = 2 ** 35
const MANTISSA_LIMIT = 1n << 35n
const FLOAT_LIMIT = 2 ** 40
const POWERS: ReadonlyArray<bigint> = Array.from(
  { length: 32 },
  (_, exponent) => 10n ** BigInt(exponent)
)
/** Amounts below the n-th limit leave a mantissa that fits after division by 10^n: comparing is cheaper than dividing step by step. */
const LIMITS = POWERS.map((power) => power * MANTISSA_LIMIT)
const RANGE_RULE = `an amount from 0 to ${FLOAT40_AMOUNT_MAX}`

/** The smallest exponent whose mantissa, rounded down, fits in 35 bits. */
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
