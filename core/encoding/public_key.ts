import * as Result from "effect/Result"
import { base64urlOfBytes, bytesOfBase64url } from "./_base64url.ts"
import { bytesOfHex, hexOfBytes, isHexFrom, reverseHex } from "./_hex.ts"
import { EncodingError } from "./encoding_error.ts"

/**
 * A compressed BabyJubJub key in the one form the core compares: 64 lower-case hexadecimal digits of the 32 bytes in wire order,
 * which is little-endian. Any 32 bytes are a key here: filters accept values that are on no point of the curve.
 */
export type PublicKey = string

/** What a compressed key says: the y coordinate (0..2^255−1, not reduced) and whether x is above half of the field. */
export interface PublicKeyParts {
  readonly y: bigint
  readonly sign: boolean
}

/** 32 zero bytes, which stand for "no key". */
export const EMPTY_PUBLIC_KEY: PublicKey = "0".repeat(64)

/** Reads `<prefix>:` and 44 base64url characters: 32 key bytes and the sum of them modulo 256. */
export function parsePublicKey(
  prefix: string,
  text: string
): Result.Result<PublicKey, EncodingError> {
  return text.startsWith(prefix) && text.charCodeAt(prefix.length) === COLON
    ? parseFrom(text, prefix.length + 1, `${prefix}:`)
    : Result.fail(new EncodingError(text, `${prefix}:${SHAPE_RULE}`))
}

/** Reads the 44 characters of a key written without prefix. */
export function parseBarePublicKey(text: string): Result.Result<PublicKey, EncodingError> {
  return parseFrom(text, 0, "")
}

/** `<prefix>:` and the 44 base64url characters. */
export function formatPublicKey(prefix: string, key: PublicKey): string {
  return `${prefix}:${formatBarePublicKey(key)}`
}

/** The 44 base64url characters without prefix. */
export function formatBarePublicKey(key: PublicKey): string {
  const bytes = new Uint8Array(KEY_BYTES + 1)
  bytes.set(bytesOfHex(key))
  bytes[KEY_BYTES] = checksumOf(bytes)
  return base64urlOfBytes(bytes)
}

/** The 32 bytes in wire order. */
export function publicKeyToBytes(key: PublicKey): Uint8Array {
  return bytesOfHex(key)
}

/** The key of 32 bytes in wire order; throws a RangeError on another number of bytes. */
export function publicKeyFromBytes(bytes: Uint8Array): PublicKey {
  if (bytes.length !== KEY_BYTES) {
    throw new RangeError(`A public key of ${bytes.length} bytes, expected ${KEY_BYTES}`)
  }
  return hexOfBytes(bytes)
}

/** Splits a key into y and sign; the key is not checked against the curve. */
export function publicKeyParts(key: PublicKey): PublicKeyParts {
  const compressed = BigInt(`0x${reverseHex(key)}`)
  const sign = compressed >= SIGN_BIT
  return { y: sign ? compressed - SIGN_BIT : compressed, sign }
}

/** The key of y and sign; throws a RangeError when y is outside 0..2^255−1. */
export function publicKeyFromParts({ y, sign }: PublicKeyParts): PublicKey {
  if (y < 0n || y >= SIGN_BIT) {
    throw new RangeError(`Coordinate y ${y} of a public key, expected 0..2^255-1`)
  }
  return reverseHex((sign ? y + SIGN_BIT : y).toString(16).padStart(64, "0"))
}

/** 64 lower-case digits of the compressed key as a big-endian number, the order in which contracts and signed messages carry it. */
export function publicKeyToBigEndianHex(key: PublicKey): string {
  return reverseHex(key)
}

/** Reads 64 hexadecimal digits of either case, without `0x`, as a big-endian compressed key. */
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
