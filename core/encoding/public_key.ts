import * as Result from "effect/Result"
import { base64urlOfBytes, bytesOfBase64url } from "./_base64url.ts"
import { bytesOfHex, hexOfBytes, isHexFrom, reverseHex } from "./_hex.ts"
import { EncodingError } from "./encoding_error.ts"

/**
 * A compressed BabyJubJub key in canonical form: 64 lower-case hexadecimal digits of its 32 bytes
 * in little-endian order. Any 32 bytes are accepted, even if they are not a point of the curve.
 */
export type PublicKey = string

/**
 * The parts of a compressed key: the y coordinate (0..2^255−1, not reduced), and whether x is above
 * half of the field.
 */
export interface PublicKeyParts {
  readonly y: bigint
  readonly sign: boolean
}

/** 32 zero bytes: means "no key". */
export const EMPTY_PUBLIC_KEY: PublicKey = "0".repeat(64)

/**
 * Parses `<prefix>:` and 44 base64url characters: the 32 bytes of the key, and their sum modulo 256
 * as a checksum.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { EMPTY_PUBLIC_KEY, formatPublicKey, parsePublicKey } from "rollup-node-api"
 *
 * const text = formatPublicKey("zk", EMPTY_PUBLIC_KEY)
 * console.log(text) // => zk:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
 * console.log(Result.getOrThrow(parsePublicKey("zk", text)) === EMPTY_PUBLIC_KEY) // => true
 * console.log(Result.isFailure(parsePublicKey("zk", text.replace(/A$/u, "B")))) // => true
 * ```
 */
export function parsePublicKey(
  prefix: string,
  text: string
): Result.Result<PublicKey, EncodingError> {
  return text.startsWith(prefix) && text.charCodeAt(prefix.length) === COLON
    ? parseFrom(text, prefix.length + 1, `${prefix}:`)
    : Result.fail(new EncodingError(text, `${prefix}:${SHAPE_RULE}`))
}

/** Parses the 44 characters of a key without prefix. */
export function parseBarePublicKey(text: string): Result.Result<PublicKey, EncodingError> {
  return parseFrom(text, 0, "")
}

/** Returns `<prefix>:` and the 44 base64url characters. */
export function formatPublicKey(prefix: string, key: PublicKey): string {
  return `${prefix}:${formatBarePublicKey(key)}`
}

/** Returns the 44 base64url characters without prefix. */
export function formatBarePublicKey(key: PublicKey): string {
  const bytes = new Uint8Array(KEY_BYTES + 1)
  bytes.set(bytesOfHex(key))
  bytes[KEY_BYTES] = checksumOf(bytes)
  return base64urlOfBytes(bytes)
}

/** Returns the 32 bytes, little-endian. */
export function publicKeyToBytes(key: PublicKey): Uint8Array {
  return bytesOfHex(key)
}

/** Returns the key of 32 little-endian bytes. Throws a RangeError for another number of bytes. */
export function publicKeyFromBytes(bytes: Uint8Array): PublicKey {
  if (bytes.length !== KEY_BYTES) {
    throw new RangeError(`A public key of ${bytes.length} bytes, expected ${KEY_BYTES}`)
  }
  return hexOfBytes(bytes)
}

/** Returns y and sign of a key. It does not check whether they are a point of the curve. */
export function publicKeyParts(key: PublicKey): PublicKeyParts {
  const compressed = BigInt(`0x${reverseHex(key)}`)
  const sign = compressed >= SIGN_BIT
  return { y: sign ? compressed - SIGN_BIT : compressed, sign }
}

/** Returns the key of y and sign. Throws a RangeError if y is not in 0..2^255−1. */
export function publicKeyFromParts({ y, sign }: PublicKeyParts): PublicKey {
  if (y < 0n || y >= SIGN_BIT) {
    throw new RangeError(`Coordinate y ${y} of a public key, expected 0..2^255-1`)
  }
  return reverseHex((sign ? y + SIGN_BIT : y).toString(16).padStart(64, "0"))
}

/**
 * Returns the 64 lower-case digits of the key as a big-endian number, the form used in contracts
 * and signed messages.
 */
export function publicKeyToBigEndianHex(key: PublicKey): string {
  return reverseHex(key)
}

/** Parses a big-endian compressed key: 64 digits in upper or lower case, without `0x`. */
export function publicKeyFromBigEndianHex(text: string): Result.Result<PublicKey, EncodingError> {
  return text.length === 2 * KEY_BYTES && isHexFrom(text, 0)
    ? Result.succeed(reverseHex(text.toLowerCase()))
    : Result.fail(new EncodingError(text, "64 hexadecimal digits"))
}

const KEY_BYTES = 32
const TEXT_LENGTH = 44
const COLON = 58
const SIGN_BIT = 1n << 255n
const SHAPE_RULE = "44 base64url characters without padding"

function parseFrom(
  text: string,
  start: number,
  prefix: string
): Result.Result<PublicKey, EncodingError> {
  const bytes = text.length === start + TEXT_LENGTH ? bytesOfBase64url(text, start) : undefined
  if (bytes === undefined) return Result.fail(new EncodingError(text, prefix + SHAPE_RULE))
  return bytes[KEY_BYTES] === checksumOf(bytes)
    ? Result.succeed(hexOfBytes(bytes.subarray(0, KEY_BYTES)))
    : Result.fail(
      new EncodingError(text, "a last byte that is the sum of the 32 key bytes modulo 256")
    )
}

function checksumOf(bytes: Uint8Array): number {
  let sum = 0
  for (let i = 0; i < KEY_BYTES; i++) sum += bytes[i]!
  return sum & 255
}
