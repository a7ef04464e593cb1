import * as Result from "effect/Result"
import { isHexFrom } from "./_hex.ts"
import { EncodingError } from "./encoding_error.ts"
import type { Keccak256 } from "./keccak256.ts"

/** An Ethereum address in the one form the core compares: `0x` and 40 lower-case hexadecimal digits. */
export type EthereumAddress = string

/** Stands for "none". */
export const ZERO_ADDRESS: EthereumAddress = "0x0000000000000000000000000000000000000000"

/** The address of internal accounts, whose owner is known by public key alone. */
export const INTERNAL_ADDRESS: EthereumAddress = "0xffffffffffffffffffffffffffffffffffffffff"

/** Reads a plain address, digits of either case; a mixed-case checksum is not verified. */
export function parseEthereumAddress(text: string): Result.Result<EthereumAddress, EncodingError> {
  return isAddressFrom(text, 0)
    ? Result.succeed(text.toLowerCase())
    : Result.fail(new EncodingError(text, PLAIN_RULE))
}

/** Reads `<prefix>:0x…`; the prefix is mandatory and in its exact case, the digits are of either case. */
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

/** The mixed-case spelling of EIP-55, for a canonical address. */
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

/** `<prefix>:` and the checksummed address, as answers show it. */
export function formatPrefixedAddress(prefix: string, checksummed: string): string {
  return `${prefix}:${checksummed}`
}

/** The address as the number it is hashed as, 0..2^160−1. */
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
