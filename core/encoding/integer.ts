import * as Result from "effect/Result"
import { EncodingError } from "./encoding_error.ts"

/**
 * Parses an integer in decimal digits within inclusive bounds. Fails for an empty text, a sign,
 * blanks, an exponent or a leading zero.
 *
 * If the maximum is 2^64−1, it also accepts `1.84467440737096e+19` for 2^64−1, since the contract
 * writes it so.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { parseDecimal } from "rollup-node-api"
 *
 * const bounds = { minimum: 0n, maximum: 2n ** 64n - 1n }
 * console.log(Result.getOrThrow(parseDecimal("9007199254740993", bounds))) // => 9007199254740993n
 * console.log(Result.isFailure(parseDecimal("007", bounds))) // => true
 * ```
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

/** Like `parseDecimal`, for bounds up to 2^53−1, which a number holds exactly. */
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
/**
 * Texts up to this length are cheap to parse. Longer ones are compared in length first, since
 * `BigInt(text)` takes quadratic time.
 */
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
