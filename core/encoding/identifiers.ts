import * as Result from "effect/Result"
import { EncodingError } from "./encoding_error.ts"
import { isHexFrom, parseDecimalNumber } from "./digits.ts"

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
 * Returns the index of `<prefix>:<symbol>:<index>`: the number after the last colon. Fails for
 * another prefix, or an index that is not decimal, not in 0..2^48−1, or has a leading zero, unless
 * that is allowed. The symbol is any text, since
 * a contract may have any, and has no meaning here: `zk:EXIT:1` and `zk:ETH:1` are the same index.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { formatAccountIndex, parseAccountIndex } from "rollup-node-api"
 *
 * console.log(Result.getOrThrow(parseAccountIndex("zk", "zk:ETH:256"))) // => 256
 * console.log(Result.getOrThrow(parseAccountIndex("zk", "zk::257"))) // => 257
 * console.log(formatAccountIndex("zk", "ETH", 256)) // => zk:ETH:256
 * console.log(Result.isFailure(parseAccountIndex("zk", "other:ETH:256"))) // => true
 * ```
 */
export function parseAccountIndex(
  prefix: string,
  text: string,
  options: { readonly allowsLeadingZeros?: boolean } = {}
): Result.Result<AccountIndex, EncodingError> {
  const symbolStart = prefix.length + 1
  const symbolEnd = text.lastIndexOf(":")
  if (symbolEnd >= symbolStart && text.startsWith(prefix) && text[prefix.length] === ":") {
    const index = parseDecimalNumber(text.slice(symbolEnd + 1), { ...BOUNDS, ...options })
    if (Result.isSuccess(index)) return index
  }
  return Result.fail(
    new EncodingError(text, `${prefix}:<symbol>:<decimal index from 0 to ${ACCOUNT_INDEX_MAX}>`)
  )
}

/**
 * Returns the symbol in the text of an account index that `parseAccountIndex` accepts.
 *
 * @example
 * ```ts
 * import { symbolOfAccountIndex } from "rollup-node-api"
 *
 * console.log(symbolOfAccountIndex("zk:A:B:256")) // => A:B
 * ```
 */
export function symbolOfAccountIndex(text: string): string {
  return text.slice(text.indexOf(":") + 1, text.lastIndexOf(":"))
}

/**
 * Returns `<prefix>:<symbol>:<index>`. `parseAccountIndex` accepts it, whatever the symbol.
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

const ADDRESS_LENGTH = 42
const COLON = 58
const PLAIN_RULE = "0x and 40 hexadecimal digits"

function isAddressFrom(text: string, start: number): boolean {
  return text.length === start + ADDRESS_LENGTH && text.startsWith("0x", start) &&
    isHexFrom(text, start + 2)
}
