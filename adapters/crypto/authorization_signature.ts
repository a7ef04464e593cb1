import { secp256k1 } from "@noble/curves/secp256k1.js"
import { numberToBytesBE } from "@noble/curves/utils.js"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Network } from "../../core/domain/mod.ts"
import {
  bytesOfHex,
  type EthereumAddress,
  hexOfBytes,
  type PublicKey,
  publicKeyToBigEndianHex
} from "../../core/encoding/mod.ts"
import type { SignedAuthorization } from "../../core/ports/mod.ts"
import { keccak256 } from "../hashing/mod.ts"
import { isSigningKey } from "./babyjubjub.ts"

/**
 * Returns the address of an Ethereum private key of 32 bytes.
 *
 * @example
 * ```ts
 * import { ethereumAddress } from "rollup-node-api/crypto"
 *
 * const privateKey = new Uint8Array(32)
 * privateKey[31] = 1
 * console.log(ethereumAddress(privateKey)) // => 0x7e5f4552091a69125d5dfcb7b8c2659029395bdf
 * ```
 */
export function ethereumAddress(privateKey: Uint8Array): EthereumAddress {
  return addressOfPoint(secp256k1.getPublicKey(privateKey, false))
}

/** Returns the address of an uncompressed Ethereum public key of 65 bytes: 4, x and y. */
function addressOfPoint(point: Uint8Array): EthereumAddress {
  return `0x${hexOfBytes(keccak256(point.subarray(1)).subarray(12))}`
}

/**
 * Returns the EIP-712 digest, 32 bytes, that an Ethereum owner signs to allow every coordinator to
 * create accounts for a key (PROTOCOL.md "Authorization").
 */
export function authorizationDigest(
  publicKey: PublicKey,
  { chainId, name, rollupAddress }: SigningNetwork
): Uint8Array {
  const provider = keccak256(utf8ToBytes(name))
  const domain = keccak256(concatBytes(
    DOMAIN_TYPE,
    provider,
    DOMAIN_VERSION,
    numberToBytesBE(chainId, 32),
    numberToBytesBE(BigInt(rollupAddress), 32)
  ))
  const message = keccak256(concatBytes(
    MESSAGE_TYPE,
    provider,
    MESSAGE_PURPOSE,
    bytesOfHex(publicKeyToBigEndianHex(publicKey))
  ))
  return keccak256(concatBytes(Uint8Array.of(0x19, 0x01), domain, message))
}

/**
 * Returns the signature of `authorizationDigest` by the owner: 0x and 130 hexadecimal digits, r, s
 * (the low one) and v (27 or 28).
 *
 * @example
 * ```ts
 * import { derivePublicKey, signAuthorization } from "rollup-node-api/crypto"
 *
 * const network = { name: "Demo", chainId: 1, rollupAddress: `0x${"1".repeat(40)}` }
 * const publicKey = derivePublicKey(new Uint8Array(32).fill(1))
 * const signature = signAuthorization(new Uint8Array(32).fill(7), publicKey, network)
 * console.log(signature.slice(0, 10), signature.length) // => 0x0a3f6d5d 132
 * ```
 */
export function signAuthorization(
  ethereumPrivateKey: Uint8Array,
  publicKey: PublicKey,
  network: SigningNetwork
): string {
  return signDigest(ethereumPrivateKey, authorizationDigest(publicKey, network))
}

/**
 * Returns the EIP-712 typed data of `authorizationDigest`: what a wallet in a browser signs with
 * `eth_signTypedData_v4`.
 *
 * @example
 * ```ts
 * import { authorizationTypedData, derivePublicKey } from "rollup-node-api/crypto"
 *
 * const network = { prefix: "zk", name: "Demo", chainId: 1, rollupAddress: `0x${"1".repeat(40)}` }
 * const publicKey = derivePublicKey(new Uint8Array(32).fill(1))
 * const { domain, message, types } = authorizationTypedData(publicKey, network)
 * // with ethers: await signer.signTypedData(domain, types, message)
 * console.log(domain.verifyingContract, Object.keys(types), message.Provider) // => 0x1111111111111111111111111111111111111111 [ 'Authorise' ] Demo
 * ```
 */
export function authorizationTypedData(
  publicKey: PublicKey,
  { chainId, name, rollupAddress }: SigningNetwork
): AuthorizationTypedData {
  return {
    domain: { name, version: VERSION, chainId, verifyingContract: rollupAddress },
    types: AUTHORIZATION_TYPES,
    primaryType: "Authorise",
    message: {
      Provider: name,
      Authorisation: PURPOSE,
      BJJKey: `0x${publicKeyToBigEndianHex(publicKey)}`
    }
  }
}

/** The parts of a network that an authorization signs. */
export type SigningNetwork = Pick<Network, "name" | "chainId" | "rollupAddress">

/** The EIP-712 typed data of an authorization. */
export interface AuthorizationTypedData {
  readonly domain: {
    readonly name: string
    readonly version: string
    readonly chainId: number
    readonly verifyingContract: EthereumAddress
  }
  readonly types: {
    readonly Authorise: ReadonlyArray<{ readonly name: string; readonly type: string }>
  }
  readonly primaryType: "Authorise"
  readonly message: {
    readonly Provider: string
    readonly Authorisation: string
    readonly BJJKey: string
  }
}

/**
 * Returns whether the owner of the address signed the authorization for this network, and
 * `isSigningKey` accepts the key. `v` has to be 27 or 28; `s` may be the low or the high one. A
 * malformed signature returns false.
 *
 * @example
 * ```ts
 * import { derivePublicKey, ethereumAddress, signAuthorization } from "rollup-node-api/crypto"
 * import { verifyAuthorization } from "rollup-node-api/crypto"
 *
 * const network = { prefix: "zk", name: "Demo", chainId: 1, rollupAddress: `0x${"1".repeat(40)}` }
 * const owner = new Uint8Array(32).fill(7)
 * const publicKey = derivePublicKey(new Uint8Array(32).fill(1))
 * const signature = signAuthorization(owner, publicKey, network)
 * const signed = { address: ethereumAddress(owner), publicKey, signature }
 * console.log(verifyAuthorization(signed, network)) // => true
 * console.log(verifyAuthorization(signed, { ...network, chainId: 2 })) // => false
 * ```
 */
export function verifyAuthorization(
  { address, publicKey, signature }: SignedAuthorization,
  network: SigningNetwork
): boolean {
  return isSigningKey(publicKey) &&
    recoverAddress(authorizationDigest(publicKey, network), signature) === address
}

/**
 * Returns the signature of a digest by an Ethereum private key: 0x and 130 hexadecimal digits, r, s
 * (the low one) and v (27 or 28).
 */
export function signDigest(privateKey: Uint8Array, digest: Uint8Array): string {
  const signature = secp256k1.sign(digest, privateKey, { prehash: false, format: "recovered" })
  return `0x${hexOfBytes(signature.subarray(1))}${(27 + signature[0]!).toString(16)}`
}

/**
 * Returns the address whose key signed a digest, or undefined if the signature is malformed; `v`
 * has to be 27 or 28.
 */
export function recoverAddress(digest: Uint8Array, signature: string): EthereumAddress | undefined {
  const parts = SIGNATURE.exec(signature)
  if (parts === null) return undefined
  const [, r = "", s = "", v = ""] = parts
  try {
    return addressOfPoint(
      new secp256k1.Signature(BigInt(`0x${r}`), BigInt(`0x${s}`), parseInt(v, 16) - 27)
        .recoverPublicKey(digest).toBytes(false)
    )
  } catch {
    // r or s is outside 1..n−1, or no point has this x: noble throws plain errors
    return undefined
  }
}

/** 0x, r, s and the recovery byte, 1b or 1c. */
const SIGNATURE = /^0x([0-9a-fA-F]{64})([0-9a-fA-F]{64})(1[bcBC])$/u

const VERSION = "1"
const PURPOSE = "Account creation"
const AUTHORIZATION_TYPES = {
  Authorise: [
    { name: "Provider", type: "string" },
    { name: "Authorisation", type: "string" },
    { name: "BJJKey", type: "bytes32" }
  ]
}
const DOMAIN_TYPE = keccak256(
  utf8ToBytes("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")
)
const DOMAIN_VERSION = keccak256(utf8ToBytes(VERSION))
const MESSAGE_TYPE = keccak256(
  utf8ToBytes("Authorise(string Provider,string Authorisation,bytes32 BJJKey)")
)
const MESSAGE_PURPOSE = keccak256(utf8ToBytes(PURPOSE))
