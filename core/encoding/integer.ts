import * as Result from "effect/Result"
import { EncodingError } from "./encoding_error.ts"

/**
 * Reads an integer written in plain decimal digits within bounds (both included): no sign, blank, exponent, leading zero or empty text.
 *
 * One literal is let through besides: `1.84467440737096e+19`, which the contract writes for 2^64−1, where the maximum is 2^64−1.
 */
export function parseDecimal(
  text: string,
  { minimum, maximum }: { readonly minimum: bigint; readonly maximum: bigint }
): Result.Result<bigint, EncodingError> {
  const value =
    isPlainDecimal(text) && (text.length <= SAFE_DIGITS || text.length <= String(maximum).length)
      ? BigInt(text)
      : text === ROUNDED_UINT64_MAX && maximum === UINT64_MAX
      ? UINT64_MAX
      : undefined
  return value !== undefined && value >= minimum && value <= maximum
    ? Result.succeed(value)
    : Result.fail(new EncodingError(text, ruleOf(minimum, maximum)))
}

/** The same for bounds up to 2^53−1, which a number holds exactly. */
export function parseDecimalNumber(
  text: string,
  { minimum, maximum }: { readonly minimum: number; readonly maximum: number }
): Result.Result<number, EncodingError> {
  const value = isPlainDecimal(text) ? Number(text) : NaN
  return value >= minimum && value <= maximum
    ? Result.succeed(value)
    : Result.fail(new EncodingError(text, ruleOf(minimum, maximum)))
}

const UINT64_MAX = (1n << 64n) - 1n
const ROUNDED_UINT64_MAX = "1.84467440737096e+19"
/** So many digits are always cheap to read; longer texts are first compared in length, since reading a huge one is quadratic. */
const SAFE_DIGITS = 20

function isPlainDecimal(text: string): boolean {
  if (text.length === 0 || (text.length > 1 && text.charCodeAt(0) === 48)) return false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 48 || code > 57) return false
  }
  return true
}

function ruleOf(minimum: bigint | number, maximum: bigint | number): string {
  return `a decimal integer from ${minimum} to ${maximum}, without sign or leading zeros`
}
