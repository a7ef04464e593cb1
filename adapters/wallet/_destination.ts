import * as Result from "effect/Result"
import type { PostedTransaction } from "../../core/domain/mod.ts"
import {
  checksumAddress,
  EXIT_ACCOUNT,
  INTERNAL_ADDRESS,
  parseAccountIndex,
  parseEthereumAddress,
  parsePrefixedAddress,
  parsePublicKey
} from "../../core/encoding/mod.ts"
import { isSigningKey, keccak256 } from "../crypto/mod.ts"

/** The receiver of a transaction, and the type that it implies. */
export type Destination = Pick<
  PostedTransaction,
  "type" | "toAccountIndex" | "toAddress" | "toPublicKey"
>

const noDestination = { toAccountIndex: null, toAddress: null, toPublicKey: null }

/**
 * Returns the destination that a text names: an account index, an address with or without prefix, a
 * public key, or `exit`. Returns the rule if it names none, if the checksum of a mixed-case address
 * is wrong, or if no private key can have it.
 */
export function parseDestination(prefix: string, text: string): Result.Result<Destination, string> {
  if (text === "exit") {
    return Result.succeed({ ...noDestination, type: "Exit", toAccountIndex: EXIT_ACCOUNT })
  }
  const index = parseAccountIndex(prefix, text)
  if (Result.isSuccess(index)) {
    return Result.succeed({
      ...noDestination,
      type: index.success === EXIT_ACCOUNT ? "Exit" : "Transfer",
      toAccountIndex: index.success
    })
  }
  const address = Result.orElse(
    parsePrefixedAddress(prefix, text),
    () => parseEthereumAddress(text)
  )
  if (Result.isSuccess(address)) {
    return hasChecksum(text.slice(-40), address.success)
      ? Result.succeed({ ...noDestination, type: "TransferToEthAddr", toAddress: address.success })
      : Result.fail("an address with the checksum of EIP-55, or in lower case: a digit is wrong")
  }
  const key = parsePublicKey(prefix, text)
  if (Result.isSuccess(key)) {
    return isSigningKey(key.success)
      ? Result.succeed({
        type: "TransferToBJJ",
        toAccountIndex: null,
        toAddress: INTERNAL_ADDRESS,
        toPublicKey: key.success
      })
      : Result.fail("a key that can sign, a point in the prime subgroup of BabyJubJub")
  }
  return Result.fail(
    `an account index like ${prefix}:ETH:256, an address like ${prefix}:0x…, a public key like ${prefix}:…, or exit`
  )
}

/** Returns whether the digits are of one case or have the checksum of EIP-55. */
function hasChecksum(digits: string, address: string): boolean {
  return digits === digits.toLowerCase() || digits === digits.toUpperCase() ||
    checksumAddress(address, keccak256) === `0x${digits}`
}
