import * as Result from "effect/Result"
import { isHexFrom } from "./_hex.ts"
import { EncodingError } from "./encoding_error.ts"
import type { Keccak256 } from "./keccak256.ts"

/** An Ethereum address in canonical form: `0x` and 40 lower-case hexadecimal digits. */
export type EthereumAddress = string

/** Means "no address". */
export const ZERO_ADDRESS: EthereumAddress = "0x0000000000000000000000000000000000000000"

/** The address of internal accounts, which are identified only by their public key. */
export const INTERNAL_ADDRESS: EthereumAddress = "0xffffffffffffffffffffffffffffffffffffffff"

/** Parses an address in upper or lower case. It does not verify a mixed-case checksum. */
export function parseEthereumAddress(text: string): Result.Result<EthereumAddress, EncodingError> {
  return isAddressFrom(text, 0)
    ? Result.succeed(text.toLowerCase())
    : Result.fail(new EncodingError(text, PLAIN_RULE))
}

/**
 * Parses `<prefix>:0x…`. The prefix is required and case-sensitive; the digits may be in upper or
 * lower case.
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

/** Returns the mixed-case form of EIP-55 of a canonical address. */
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

/** Returns `<prefix>:` and the checksummed address, the form used in answers. */
export function formatPrefixedAddress(prefix: string, checksummed: string): string {
  return `${prefix}:${checksummed}`
}

/** Returns the address as a number, 0..2^160−1, the form in which it is hashed. */
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
