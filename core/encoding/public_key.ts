import * as Result from "effect/Result"
import {
  base64urlOfBytes,
  bytesOfBase64url,
  bytesOfHex,
  hexOfBytes,
  isHexFrom,
  reverseHex
} from "./digits.ts"
import { EncodingError } from "./encoding_error.ts"
import { FIELD_ORDER } from "./field.ts"

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
 * Returns the key of `<prefix>:` and 44 base64url characters: its 32 bytes, and their sum modulo 256
 * as a checksum. Fails for another form or a wrong checksum.
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
  const start = prefix.length + 1
  const bytes = text.startsWith(prefix) && text.charCodeAt(prefix.length) === COLON &&
      text.length === start + TEXT_LENGTH
    ? bytesOfBase64url(text, start)
    : undefined
  if (bytes === undefined) return Result.fail(new EncodingError(text, `${prefix}:${SHAPE_RULE}`))
  return bytes[KEY_BYTES] === checksumOf(bytes)
    ? Result.succeed(hexOfBytes(bytes.subarray(0, KEY_BYTES)))
    : Result.fail(
      new EncodingError(text, "a last byte that is the sum of the 32 key bytes modulo 256")
    )
}

/**
 * Returns `<prefix>:` and the 44 base64url characters.
 *
 * @example
 * ```ts
 * import { formatPublicKey } from "rollup-node-api"
 *
 * const text = formatPublicKey("zk", `01${"00".repeat(31)}`)
 * console.log(text) // => zk:AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB
 * ```
 */
export function formatPublicKey(prefix: string, key: PublicKey): string {
  const bytes = new Uint8Array(KEY_BYTES + 1)
  bytes.set(bytesOfHex(key))
  bytes[KEY_BYTES] = checksumOf(bytes)
  return `${prefix}:${base64urlOfBytes(bytes)}`
}

/**
 * Returns y and sign of a key. It does not check whether they are a point of the curve.
 *
 * @example
 * ```ts
 * import { publicKeyParts } from "rollup-node-api"
 *
 * console.log(publicKeyParts(`01${"00".repeat(30)}80`)) // => { y: 1n, sign: true }
 * ```
 */
export function publicKeyParts(key: PublicKey): PublicKeyParts {
  const compressed = BigInt(`0x${reverseHex(key)}`)
  const sign = compressed >= SIGN_BIT
  return { y: sign ? compressed - SIGN_BIT : compressed, sign }
}

/**
 * Returns the key that the leaf of an account holds: bit 254 of the key, which the circuits do not
 * read, is cleared, and y is reduced modulo the field. The circuits check signatures of the account,
 * and transfers to its key, with the key of the leaf. It is the key itself unless its owner chose
 * another encoding when the account was created on L1.
 *
 * @example
 * ```ts
 * import { leafKey } from "rollup-node-api"
 *
 * const key = `01${"00".repeat(31)}`
 * console.log(leafKey(key) === key) // => true
 * console.log(leafKey(`01${"00".repeat(30)}40`) === key) // => true
 * ```
 */
export function leafKey(key: PublicKey): PublicKey {
  const lastByte = Number.parseInt(key.slice(-2), 16)
  // the usual case without big integers: no other bit of the last byte is set than in a reduced y
  if ((lastByte & 0x7f) < FIELD_LAST_BYTE) return key
  const { sign, y } = publicKeyParts(key)
  return publicKeyFromParts({ sign, y: (y % Y_LIMIT) % FIELD_ORDER })
}

/**
 * Returns all keys with the same leaf key as this one, the leaf key first: two or four.
 *
 * @example
 * ```ts
 * import { keysOfLeaf } from "rollup-node-api"
 *
 * const keys = keysOfLeaf(`${"ff".repeat(31)}1f`)
 * console.log(keys.map((key) => key.slice(-2))) // => [ '1f', '5f' ]
 * ```
 */
export function keysOfLeaf(key: PublicKey): ReadonlyArray<PublicKey> {
  const first = leafKey(key)
  const { sign, y } = publicKeyParts(first)
  const unreduced = y + FIELD_ORDER < Y_LIMIT ? [y, y + FIELD_ORDER] : [y]
  return unreduced.flatMap((each) => [
    publicKeyFromParts({ sign, y: each }),
    publicKeyFromParts({ sign, y: each + Y_LIMIT })
  ])
}

/**
 * Returns the key of y and sign. Throws a RangeError if y is not in 0..2^255−1.
 *
 * @example
 * ```ts
 * import { publicKeyFromParts, publicKeyParts } from "rollup-node-api"
 *
 * const key = publicKeyFromParts({ y: 1n, sign: true })
 * console.log(key.slice(0, 4), key.slice(-4)) // => 0100 0080
 * console.log(publicKeyParts(key).y) // => 1n
 * ```
 */
export function publicKeyFromParts({ y, sign }: PublicKeyParts): PublicKey {
  if (y < 0n || y >= SIGN_BIT) {
    throw new RangeError(`Coordinate y ${y} of a public key, expected 0..2^255-1`)
  }
  return reverseHex((sign ? y + SIGN_BIT : y).toString(16).padStart(64, "0"))
}

/**
 * Returns the 64 lower-case digits of the key as a big-endian number, the form used in contracts
 * and signed messages.
 *
 * @example
 * ```ts
 * import { publicKeyToBigEndianHex } from "rollup-node-api"
 *
 * const text = publicKeyToBigEndianHex(`01${"00".repeat(31)}`)
 * console.log(text.length, BigInt(`0x${text}`)) // => 64 1n
 * ```
 */
export function publicKeyToBigEndianHex(key: PublicKey): string {
  return reverseHex(key)
}

/**
 * Returns the key of its big-endian number: 64 digits in upper or lower case, without `0x`. Fails
 * for another text.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { publicKeyFromBigEndianHex, publicKeyToBigEndianHex } from "rollup-node-api"
 *
 * const key = Result.getOrThrow(publicKeyFromBigEndianHex("1".padStart(64, "0")))
 * console.log(key.slice(0, 4), publicKeyToBigEndianHex(key).slice(-4)) // => 0100 0001
 * console.log(Result.isFailure(publicKeyFromBigEndianHex("0x01"))) // => true
 * ```
 */
export function publicKeyFromBigEndianHex(text: string): Result.Result<PublicKey, EncodingError> {
  return text.length === 2 * KEY_BYTES && isHexFrom(text, 0)
    ? Result.succeed(reverseHex(text.toLowerCase()))
    : Result.fail(new EncodingError(text, "64 hexadecimal digits"))
}

const COLON = 58
const KEY_BYTES = 32
const TEXT_LENGTH = 44
const SIGN_BIT = 1n << 255n
/** The circuits read 254 bits of y. */
const Y_LIMIT = 1n << 254n
const FIELD_LAST_BYTE = Number(FIELD_ORDER >> 248n)
const SHAPE_RULE = "44 base64url characters without padding"

function checksumOf(bytes: Uint8Array): number {
  let sum = 0
  for (let i = 0; i < KEY_BYTES; i++) sum += bytes[i]!
  return sum & 255
}
