import * as Result from "effect/Result"
import { EncodingError } from "./encoding_error.ts"
import {
  parseDecimalNumber,
  isHexFrom,
  base64urlOfBytes,
  bytesOfBase64url,
  bytesOfHex,
  hexOfBytes,
  reverseHex
} from "./digits.ts"

/**
 * Returns the 32-byte Keccak-256 digest. It is a parameter, since the core contains no
 * cryptography.
 */
export type Keccak256 = (bytes: Uint8Array) => Uint8Array

/** The number of an account in the state tree, 0..2^48−1 (six bytes). */
export type AccountIndex = number

/** The greatest account index, 2^48−1. */
export const ACCOUNT_INDEX_MAX: AccountIndex = 2 ** 48 - 1

/** Index 0 means "no account": the destination of a deposit, or the sender of an account creation. */
export const NO_ACCOUNT: AccountIndex = 0

/** Index 1, the destination of an exit. */
export const EXIT_ACCOUNT: AccountIndex = 1

/** Index 256, the first account of a user; lower indexes are reserved. */
export const FIRST_USER_ACCOUNT: AccountIndex = 256

/**
 * Returns whether a user can own an account with this index, which is 256 or greater.
 *
 * @example
 * ```ts
 * import { EXIT_ACCOUNT, FIRST_USER_ACCOUNT, isUserAccount } from "rollup-node-api"
 *
 * console.log(isUserAccount(EXIT_ACCOUNT), isUserAccount(FIRST_USER_ACCOUNT)) // => false true
 * ```
 */
export function isUserAccount(index: AccountIndex): boolean {
  return index >= FIRST_USER_ACCOUNT
}

/**
 * Returns the index of `<prefix>:<symbol>:<index>`. Fails for another prefix, an empty symbol, or an
 * index that is not decimal or not in 0..2^48−1. The symbol is any text without a colon and has no
 * meaning: `zk:EXIT:1` and `zk:ETH:1` are the same index.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { formatAccountIndex, parseAccountIndex } from "rollup-node-api"
 *
 * console.log(Result.getOrThrow(parseAccountIndex("zk", "zk:ETH:256"))) // => 256
 * console.log(formatAccountIndex("zk", "ETH", 256)) // => zk:ETH:256
 * console.log(Result.isFailure(parseAccountIndex("zk", "other:ETH:256"))) // => true
 * ```
 */
export function parseAccountIndex(
  prefix: string,
  text: string
): Result.Result<AccountIndex, EncodingError> {
  const symbolStart = prefix.length + 1
  const symbolEnd = text.indexOf(":", symbolStart)
  if (symbolEnd > symbolStart && text.startsWith(prefix) && text[prefix.length] === ":") {
    // if there is a third colon, the number is not decimal
    const index = parseDecimalNumber(text.slice(symbolEnd + 1), BOUNDS)
    if (Result.isSuccess(index)) return index
  }
  return Result.fail(
    new EncodingError(text, `${prefix}:<symbol>:<decimal index from 0 to ${ACCOUNT_INDEX_MAX}>`)
  )
}

/**
 * Returns `<prefix>:<symbol>:<index>`. `parseAccountIndex` accepts it if the symbol is not empty
 * and contains no colon.
 *
 * @example
 * ```ts
 * import { formatAccountIndex } from "rollup-node-api"
 *
 * console.log(formatAccountIndex("zk", "DAI", 257)) // => zk:DAI:257
 * ```
 */
export function formatAccountIndex(prefix: string, symbol: string, index: AccountIndex): string {
  return `${prefix}:${symbol}:${index}`
}

const BOUNDS = { minimum: 0, maximum: ACCOUNT_INDEX_MAX }

/** An Ethereum address in canonical form: `0x` and 40 lower-case hexadecimal digits. */
export type EthereumAddress = string

/** Means "no address". */
export const ZERO_ADDRESS: EthereumAddress = "0x0000000000000000000000000000000000000000"

/** The address of internal accounts, which are identified only by their public key. */
export const INTERNAL_ADDRESS: EthereumAddress = "0xffffffffffffffffffffffffffffffffffffffff"

/**
 * Returns the canonical form of an address in upper, lower or mixed case. Fails if the text is not
 * `0x` and 40 hexadecimal digits. It does not verify a mixed-case checksum.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { parseEthereumAddress } from "rollup-node-api"
 *
 * const address = parseEthereumAddress("0x7E5F4552091A69125D5DFCB7B8C2659029395BDF")
 * console.log(Result.getOrThrow(address)) // => 0x7e5f4552091a69125d5dfcb7b8c2659029395bdf
 * console.log(Result.isFailure(parseEthereumAddress("0x7e5f"))) // => true
 * ```
 */
export function parseEthereumAddress(text: string): Result.Result<EthereumAddress, EncodingError> {
  return isAddressFrom(text, 0)
    ? Result.succeed(text.toLowerCase())
    : Result.fail(new EncodingError(text, PLAIN_RULE))
}

/**
 * Returns the canonical form of the address in `<prefix>:0x…`. Fails without the prefix, which is
 * case-sensitive, and unless 40 digits follow, in upper or lower case.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { checksumAddress, formatPrefixedAddress, parsePrefixedAddress } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const text = "zk:0x7E5F4552091A69125D5DFCB7B8C2659029395BDF"
 * const address = Result.getOrThrow(parsePrefixedAddress("zk", text))
 * console.log(address) // => 0x7e5f4552091a69125d5dfcb7b8c2659029395bdf
 * const checksum = checksumAddress(address, keccak256)
 * console.log(formatPrefixedAddress("zk", checksum)) // => zk:0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf
 * ```
 */
export function parsePrefixedAddress(
  prefix: string,
  text: string
): Result.Result<EthereumAddress, EncodingError> {
  const start = prefix.length + 1
  return text.startsWith(prefix) && text.charCodeAt(prefix.length) === COLON &&
      isAddressFrom(text, start)
    ? Result.succeed(text.slice(start).toLowerCase())
    : Result.fail(new EncodingError(text, `${prefix}:${PLAIN_RULE}`))
}

/**
 * Returns the mixed-case form of EIP-55 of a canonical address.
 *
 * @example
 * ```ts
 * import { checksumAddress } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const address = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
 * console.log(checksumAddress(address, keccak256)) // => 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf
 * ```
 */
export function checksumAddress(address: EthereumAddress, keccak256: Keccak256): string {
  const digits = new Uint8Array(ADDRESS_LENGTH - 2)
  for (let i = 0; i < digits.length; i++) digits[i] = address.charCodeAt(i + 2)
  const digest = keccak256(digits)
  let text = "0x"
  for (let i = 0; i < digits.length; i++) {
    const nibble = i % 2 === 0 ? digest[i >> 1]! >> 4 : digest[i >> 1]! & 15
    const digit = address[i + 2]!
    text += nibble >= 8 ? digit.toUpperCase() : digit
  }
  return text
}

/**
 * Returns `<prefix>:` and the checksummed address, the form used in answers.
 *
 * @example
 * ```ts
 * import { checksumAddress, formatPrefixedAddress } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const checksummed = checksumAddress("0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", keccak256)
 * const text = formatPrefixedAddress("zk", checksummed)
 * console.log(text) // => zk:0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf
 * ```
 */
export function formatPrefixedAddress(prefix: string, checksummed: string): string {
  return `${prefix}:${checksummed}`
}

/**
 * Returns the address as a number, 0..2^160−1, the form in which it is hashed.
 *
 * @example
 * ```ts
 * import { addressNumber, INTERNAL_ADDRESS } from "rollup-node-api"
 *
 * console.log(addressNumber(INTERNAL_ADDRESS) === 2n ** 160n - 1n) // => true
 * ```
 */
export function addressNumber(address: EthereumAddress): bigint {
  return BigInt(address)
}

const ADDRESS_LENGTH = 42
const COLON = 58
const PLAIN_RULE = "0x and 40 hexadecimal digits"

function isAddressFrom(text: string, start: number): boolean {
  return text.length === start + ADDRESS_LENGTH && text.startsWith("0x", start) &&
    isHexFrom(text, start + 2)
}

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
  return text.startsWith(prefix) && text.charCodeAt(prefix.length) === COLON
    ? parseFrom(text, prefix.length + 1, `${prefix}:`)
    : Result.fail(new EncodingError(text, `${prefix}:${SHAPE_RULE}`))
}

/**
 * Returns the key of 44 base64url characters without prefix. Fails for another length, another
 * character, or a wrong checksum.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { EMPTY_PUBLIC_KEY, parseBarePublicKey } from "rollup-node-api"
 *
 * const key = Result.getOrThrow(parseBarePublicKey("A".repeat(44)))
 * console.log(key === EMPTY_PUBLIC_KEY) // => true
 * console.log(Result.isFailure(parseBarePublicKey(`${"A".repeat(43)}B`))) // => true
 * ```
 */
export function parseBarePublicKey(text: string): Result.Result<PublicKey, EncodingError> {
  return parseFrom(text, 0, "")
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
  return `${prefix}:${formatBarePublicKey(key)}`
}

/**
 * Returns the 44 base64url characters without prefix.
 *
 * @example
 * ```ts
 * import { formatBarePublicKey } from "rollup-node-api"
 *
 * const text = formatBarePublicKey(`01${"00".repeat(31)}`)
 * console.log(text) // => AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB
 * ```
 */
export function formatBarePublicKey(key: PublicKey): string {
  const bytes = new Uint8Array(KEY_BYTES + 1)
  bytes.set(bytesOfHex(key))
  bytes[KEY_BYTES] = checksumOf(bytes)
  return base64urlOfBytes(bytes)
}

/**
 * Returns the 32 bytes of a key in little-endian order.
 *
 * @example
 * ```ts
 * import { publicKeyToBytes } from "rollup-node-api"
 *
 * const bytes = publicKeyToBytes(`01${"00".repeat(31)}`)
 * console.log(bytes.length, bytes[0]) // => 32 1
 * ```
 */
export function publicKeyToBytes(key: PublicKey): Uint8Array {
  return bytesOfHex(key)
}

/**
 * Returns the key of 32 little-endian bytes. Throws a RangeError for another number of bytes.
 *
 * @example
 * ```ts
 * import { EMPTY_PUBLIC_KEY, publicKeyFromBytes } from "rollup-node-api"
 *
 * console.log(publicKeyFromBytes(new Uint8Array(32)) === EMPTY_PUBLIC_KEY) // => true
 * ```
 */
export function publicKeyFromBytes(bytes: Uint8Array): PublicKey {
  if (bytes.length !== KEY_BYTES) {
    throw new RangeError(`A public key of ${bytes.length} bytes, expected ${KEY_BYTES}`)
  }
  return hexOfBytes(bytes)
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
 * Returns the keys with the same leaf key, the leaf key first.
 *
 * @example
 * ```ts
 * import { keysOfLeaf, leafKey } from "rollup-node-api"
 *
 * const keys = keysOfLeaf(`01${"00".repeat(31)}`)
 * console.log(keys.length, new Set(keys.map(leafKey)).size) // => 4 1
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

const KEY_BYTES = 32
const TEXT_LENGTH = 44
const SIGN_BIT = 1n << 255n
/** The circuits read 254 bits of y. */
const Y_LIMIT = 1n << 254n
/** The scalar field of BN254, over which the curve BabyJubJub is defined. */
const FIELD_ORDER = 21888242871839275222246405745257275088548364400416034343698204186575808495617n
const FIELD_LAST_BYTE = Number(FIELD_ORDER >> 248n)
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
