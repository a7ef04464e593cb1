import * as Result from "effect/Result"
import type { Network } from "../../core/domain/mod.ts"
import {
  bytesOfHex,
  type EthereumAddress,
  INTERNAL_ADDRESS,
  parseEthereumAddress,
  type PublicKey
} from "../../core/encoding/mod.ts"
import {
  accessKey,
  accessSigner,
  derivePublicKey,
  ethereumAddress,
  signAccessMessage
} from "../crypto/mod.ts"

/** The keys of an owner of accounts. */
export interface Wallet {
  /** The BabyJubJub key that signs transactions. */
  readonly privateKey: Uint8Array
  readonly publicKey: PublicKey
  /** The Ethereum address; `INTERNAL_ADDRESS` if the wallet has none. */
  readonly address: EthereumAddress
  /** The Ethereum private key, which signs authorizations; null if the wallet does not have it. */
  readonly ethereumKey: Uint8Array | null
}

/** An access message that an Ethereum key signed. */
export interface AccessSignature {
  /** The address of the signer: 0x and 40 hexadecimal digits. */
  readonly address: string
  /** 0x and 130 hexadecimal digits. */
  readonly signature: string
}

/**
 * Returns the wallet of an Ethereum address, from the signature of `accessMessage(network)` by its
 * key. The published clients derive the same keys. Throws InvalidKey if the address did not sign
 * this message.
 *
 * The key is a secret, and so is the signature. A signer that signs differently each time, such as a
 * contract, gets different keys.
 *
 * ```ts
 * import { signAccessMessage } from "rollup-node-api/crypto"
 * import { walletFromEthereumKey, walletFromSignature } from "rollup-node-api/wallet"
 *
 * const network = { name: "Demo" }
 * const ethereumKey = new Uint8Array(32).fill(7)
 * const { address, publicKey } = walletFromEthereumKey(ethereumKey, network)
 * // with ethers: await signer.signMessage(accessMessage(network))
 * const signature = signAccessMessage(ethereumKey, network)
 * console.log(walletFromSignature({ address, signature }, network).publicKey === publicKey) // => true
 * ```
 */
export function walletFromSignature(
  { address, signature }: AccessSignature,
  network: Pick<Network, "name">
): Wallet {
  const owner = parseEthereumAddress(address)
  if (Result.isFailure(owner)) {
    throw new InvalidKey(`Address ${JSON.stringify(address)}: expected ${owner.failure.rule}`)
  }
  if (accessSigner(signature, network) !== owner.success) {
    throw new InvalidKey(
      `The signature is not one of the access message of ${network.name} by ${address}: sign accessMessage(network) with the key of this address`
    )
  }
  return walletOf(accessKey(signature), owner.success, null)
}

/**
 * Returns the wallet of an Ethereum private key of 32 bytes, or of their hexadecimal digits with or
 * without 0x. The published clients derive the same keys. Throws InvalidKey if it is no such key.
 *
 * ```ts
 * import { walletFromEthereumKey } from "rollup-node-api/wallet"
 *
 * const { address } = walletFromEthereumKey(`0x${"0".repeat(63)}1`, { name: "Demo" })
 * console.log(address) // => 0x7e5f4552091a69125d5dfcb7b8c2659029395bdf
 * ```
 */
export function walletFromEthereumKey(
  ethereumKey: Uint8Array | string,
  network: Pick<Network, "name">
): Wallet {
  const key = bytesOf(ethereumKey, "An Ethereum private key")
  let signature
  try {
    signature = signAccessMessage(key, network)
  } catch {
    throw new InvalidKey(
      "An Ethereum private key of 32 bytes is outside its range: expected 1 to the order of secp256k1 minus 1"
    )
  }
  return walletOf(accessKey(signature), ethereumAddress(key), key)
}

/**
 * Returns the wallet of a seed: 32 random bytes, or their hexadecimal digits with or without 0x. It
 * owns internal accounts, which have no Ethereum address: they receive and send, but cannot
 * withdraw to Ethereum. Throws InvalidKey for another number of bytes.
 *
 * ```ts
 * import { formatPublicKey } from "rollup-node-api"
 * import { walletFromSeed } from "rollup-node-api/wallet"
 *
 * const { publicKey } = walletFromSeed(new Uint8Array(32).fill(1))
 * console.log(formatPublicKey("zk", publicKey)) // => zk:_lGG0Qj8U5QMNdHC9K9Ouy0gRazYFDtLwHGbrT85JKZ8
 * ```
 */
export function walletFromSeed(seed: Uint8Array | string): Wallet {
  return walletOf(bytesOf(seed, "A seed"), INTERNAL_ADDRESS, null)
}

function walletOf(
  privateKey: Uint8Array,
  address: EthereumAddress,
  ethereumKey: Uint8Array | null
): Wallet {
  return { privateKey, publicKey: derivePublicKey(privateKey), address, ethereumKey }
}

function bytesOf(key: Uint8Array | string, what: string): Uint8Array {
  const digits = typeof key === "string" ? key.replace(/^0x/u, "") : ""
  const bytes = typeof key !== "string"
    ? key
    : /^(?:[0-9a-fA-F]{2})*$/u.test(digits)
    ? bytesOfHex(digits)
    : undefined
  if (bytes?.length === 32) return bytes
  // the key is a secret and not repeated
  throw new InvalidKey(
    `${what} has ${
      bytes === undefined ? "other characters than hexadecimal digits" : `${bytes.length} bytes`
    }: expected 32 bytes or 64 hexadecimal digits`
  )
}

/**
 * The key, the seed or the signature cannot be used. The message does not contain it.
 *
 * @example
 * ```ts
 * import { InvalidKey, walletFromEthereumKey } from "rollup-node-api/wallet"
 *
 * try {
 *   walletFromEthereumKey("0x1234", { name: "Demo" })
 * } catch (error) {
 *   if (error instanceof InvalidKey) console.log(error.message)
 *   // => An Ethereum private key has 2 bytes: expected 32 bytes or 64 hexadecimal digits
 * }
 * ```
 */
export class InvalidKey extends Error {
  readonly _tag = "InvalidKey"
}
