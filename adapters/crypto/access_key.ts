import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Network } from "../../core/domain/mod.ts"
import type { EthereumAddress } from "../../core/encoding/mod.ts"
import { keccak256 } from "../hashing/mod.ts"
import { recoverAddress, signDigest } from "./authorization_signature.ts"

/**
 * Returns the message that the owner of an Ethereum key signs to derive the BabyJubJub key of a
 * network. Wallets in browsers sign it with `personal_sign`.
 *
 * @example
 * ```ts
 * import { accessMessage } from "rollup-node-api/crypto"
 *
 * console.log(accessMessage({ name: "Demo" }).split("\n")[0]) // => Demo account access.
 * ```
 */
export function accessMessage({ name }: Pick<Network, "name">): string {
  return `${name} account access.\n\nSign this message if you are in a trusted application only.`
}

/**
 * Returns the BabyJubJub private key of an access signature, as the published clients derive it:
 * the Keccak-256 digest of its text, 0x and 130 lower-case hexadecimal digits. Throws a RangeError if
 * the signature is not 0x and 130 hexadecimal digits.
 *
 * @example
 * ```ts
 * import { accessKey, derivePublicKey, signAccessMessage } from "rollup-node-api/crypto"
 *
 * const ethereumKey = new Uint8Array(32).fill(7)
 * const privateKey = accessKey(signAccessMessage(ethereumKey, { name: "Demo" }))
 * console.log(privateKey.length, derivePublicKey(privateKey).slice(0, 8)) // => 32 c21a741f
 * ```
 */
export function accessKey(signature: string): Uint8Array {
  if (!SIGNATURE.test(signature)) {
    throw new RangeError("An access signature, expected 0x and 130 hexadecimal digits")
  }
  return keccak256(utf8ToBytes(signature.toLowerCase()))
}

/**
 * Returns the signature of the access message by an Ethereum private key of 32 bytes.
 *
 * @example
 * ```ts
 * import { signAccessMessage } from "rollup-node-api/crypto"
 *
 * const signature = signAccessMessage(new Uint8Array(32).fill(7), { name: "Demo" })
 * console.log(signature.slice(0, 10), signature.length) // => 0xafc14aff 132
 * ```
 */
export function signAccessMessage(
  ethereumPrivateKey: Uint8Array,
  network: Pick<Network, "name">
): string {
  return signDigest(ethereumPrivateKey, accessDigest(network))
}

/**
 * Returns the address whose key signed the access message, or another address or undefined if the
 * signature is not one of this message. The recovery byte is 27 or 28, or 0 or 1, as hardware
 * wallets write it.
 *
 * @example
 * ```ts
 * import { accessSigner, ethereumAddress, signAccessMessage } from "rollup-node-api/crypto"
 *
 * const key = new Uint8Array(32).fill(7)
 * const signature = signAccessMessage(key, { name: "Demo" })
 * console.log(accessSigner(signature, { name: "Demo" }) === ethereumAddress(key)) // => true
 * console.log(accessSigner(signature, { name: "Other" }) === ethereumAddress(key)) // => false
 * console.log(accessSigner("0x", { name: "Demo" })) // => undefined
 * ```
 */
export function accessSigner(
  signature: string,
  network: Pick<Network, "name">
): EthereumAddress | undefined {
  const isShort = /0[01]$/u.test(signature)
  return recoverAddress(
    accessDigest(network),
    isShort ? `${signature.slice(0, -2)}1${signature.endsWith("0") ? "b" : "c"}` : signature
  )
}

const SIGNATURE = /^0x[0-9a-fA-F]{130}$/u

/** Returns the digest of EIP-191 that `personal_sign` signs. */
function accessDigest(network: Pick<Network, "name">): Uint8Array {
  const message = utf8ToBytes(accessMessage(network))
  return keccak256(
    concatBytes(utf8ToBytes(`\x19Ethereum Signed Message:\n${message.length}`), message)
  )
}
