import * as Result from "effect/Result"
import { EncodingError } from "./encoding_error.ts"

// Not `effect/encoding`: core imports no sub-path of effect.

/**
 * Returns whether every character from `start` on is a hexadecimal digit in upper or lower case.
 */
export function isHexFrom(text: string, start: number): boolean {
  for (let i = start; i < text.length; i++) {
    if (hexDigitOf(text.charCodeAt(i)) < 0) return false
  }
  return true
}

/**
 * Returns two lower-case hexadecimal digits for each byte.
 *
 * @example
 * ```ts
 * import { hexOfBytes } from "rollup-node-api"
 *
 * console.log(hexOfBytes(Uint8Array.of(10, 255))) // => 0aff
 * ```
 */
export function hexOfBytes(bytes: Uint8Array): string {
  let text = ""
  for (let i = 0; i < bytes.length; i++) text += HEX_OF_BYTE[bytes[i]!]
  return text
}

/**
 * Returns the bytes of hexadecimal digits in upper or lower case, without `0x`. Throws a RangeError
 * if their number is odd, or if the text has other characters.
 *
 * @example
 * ```ts
 * import { bytesOfHex } from "rollup-node-api"
 *
 * console.log([...bytesOfHex("0aFF")]) // => [ 10, 255 ]
 * ```
 */
export function bytesOfHex(hex: string): Uint8Array {
  if (hex.length % 2 !== 0 || !isHexFrom(hex, 0)) {
    throw new RangeError(`A text of ${hex.length} characters, expected pairs of hexadecimal digits`)
  }
  const bytes = new Uint8Array(hex.length / 2)
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = hexDigitOf(hex.charCodeAt(2 * i)) * 16 + hexDigitOf(hex.charCodeAt(2 * i + 1))
  }
  return bytes
}

/** Returns the digits of the same bytes in reverse order. */
export function reverseHex(hex: string): string {
  let text = ""
  for (let i = hex.length - 2; i >= 0; i -= 2) text += hex.slice(i, i + 2)
  return text
}

const HEX_OF_BYTE: ReadonlyArray<string> = Array.from(
  { length: 256 },
  (_, byte) => byte.toString(16).padStart(2, "0")
)

/** Returns 0..15, or -1 if the character code is not that of a hexadecimal digit. */
function hexDigitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  if (code >= 97 && code <= 102) return code - 87
  if (code >= 65 && code <= 70) return code - 55
  return -1
}

/**
 * Returns base64url (RFC 4648 §5) without padding. The number of bytes has to be a multiple of
 * three, so that no text has unused bits.
 */
export function base64urlOfBytes(bytes: Uint8Array): string {
  let text = ""
  for (let i = 0; i + 2 < bytes.length; i += 3) {
    const group = (bytes[i]! << 16) | (bytes[i + 1]! << 8) | bytes[i + 2]!
    text += ALPHABET[group >> 18]! + ALPHABET[(group >> 12) & 63]! + ALPHABET[(group >> 6) & 63]! +
      ALPHABET[group & 63]!
  }
  return text
}

/**
 * Returns the bytes of the text after `start`, whose length has to be a multiple of four; undefined
 * if a character is not in the alphabet.
 */
export function bytesOfBase64url(text: string, start: number): Uint8Array | undefined {
  const groups = (text.length - start) / 4
  const bytes = new Uint8Array(groups * 3)
  for (let i = 0; i < groups; i++) {
    const at = start + 4 * i
    const group = (valueAt(text, at) << 18) | (valueAt(text, at + 1) << 12) |
      (valueAt(text, at + 2) << 6) | valueAt(text, at + 3)
    if (group < 0) return undefined
    bytes[3 * i] = group >> 16
    bytes[3 * i + 1] = group >> 8
    bytes[3 * i + 2] = group
  }
  return bytes
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

const VALUES = new Int8Array(128).fill(-1)
for (let i = 0; i < 64; i++) VALUES[ALPHABET.charCodeAt(i)] = i

/**
 * Returns -1 for other characters. Shift and or keep its sign, so one test covers a whole group.
 */
function valueAt(text: string, at: number): number {
  return VALUES[text.charCodeAt(at)] ?? -1
}

/** Whether to read `007` as 7; it is refused by default. */
interface LeadingZeros {
  readonly allowsLeadingZeros?: boolean
}

/**
 * Returns the integer of a text in decimal digits, within inclusive bounds. Fails for an integer
 * outside them, an empty text, a sign, blanks, an exponent or, unless allowed, a leading zero.
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
  { minimum, maximum, allowsLeadingZeros = false }:
    & { readonly minimum: bigint; readonly maximum: bigint }
    & LeadingZeros
): Result.Result<bigint, EncodingError> {
  const digits = allowsLeadingZeros ? withoutLeadingZeros(text) : text
  const value = isPlainDecimal(digits) &&
      (digits.length <= SAFE_DIGITS || digits.length <= String(maximum).length)
    ? BigInt(digits)
    : text === ROUNDED_UINT64_MAX && maximum === UINT64_MAX
    ? UINT64_MAX
    : undefined
  return value !== undefined && value >= minimum && value <= maximum
    ? Result.succeed(value)
    : Result.fail(new EncodingError(text, ruleOf(minimum, maximum, allowsLeadingZeros)))
}

/**
 * Returns the integer of a text in decimal digits, as `parseDecimal` does, for inclusive bounds up
 * to 2^53−1, which a number holds exactly.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { parseDecimalNumber } from "rollup-node-api"
 *
 * const bounds = { minimum: 0, maximum: 255 }
 * console.log(Result.getOrThrow(parseDecimalNumber("126", bounds))) // => 126
 * const invalid = parseDecimalNumber("256", bounds)
 * if (Result.isFailure(invalid)) console.log(invalid.failure.rule)
 * // => a decimal integer from 0 to 255, without sign or leading zeros
 * ```
 */
export function parseDecimalNumber(
  text: string,
  { minimum, maximum, allowsLeadingZeros = false }:
    & { readonly minimum: number; readonly maximum: number }
    & LeadingZeros
): Result.Result<number, EncodingError> {
  const digits = allowsLeadingZeros ? withoutLeadingZeros(text) : text
  const value = isPlainDecimal(digits) ? Number(digits) : NaN
  return value >= minimum && value <= maximum
    ? Result.succeed(value)
    : Result.fail(new EncodingError(text, ruleOf(minimum, maximum, allowsLeadingZeros)))
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

/** Returns the text from its first other character than zero, or the last zero. */
function withoutLeadingZeros(text: string): string {
  let start = 0
  while (start < text.length - 1 && text.charCodeAt(start) === 48) start++
  return text.slice(start)
}

function ruleOf(
  minimum: bigint | number,
  maximum: bigint | number,
  allowsLeadingZeros: boolean
): string {
  const form = allowsLeadingZeros ? "without sign" : "without sign or leading zeros"
  return `a decimal integer from ${minimum} to ${maximum}, ${form}`
}
