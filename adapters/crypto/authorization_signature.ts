import { secp256k1 } from "@noble/curves/secp256k1.js"
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Network } from "../../core/domain/mod.ts"
import {
  type EthereumAddress,
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
  return `0x${bytesToHex(keccak256(point.subarray(1)).subarray(12))}`
}

/**
 * Returns the EIP-712 digest that an Ethereum owner signs to allow every coordinator to create
 * accounts for a key (domain §5, HEAD).
 */
export function authorizationDigest(
  publicKey: PublicKey,
  { chainId, name, rollupAddress }: Network
): Uint8Array {
  const provider = keccak256(utf8ToBytes(name))
  const domain = keccak256(concatBytes(
    DOMAIN_TYPE,
    provider,
    DOMAIN_VERSION,
    bytes32(chainId.toString(16)),
    bytes32(rollupAddress.slice(2))
  ))
  const message = keccak256(concatBytes(
    MESSAGE_TYPE,
    provider,
    MESSAGE_PURPOSE,
    hexToBytes(publicKeyToBigEndianHex(publicKey))
  ))
  return keccak256(concatBytes(Uint8Array.of(0x19, 0x01), domain, message))
}

/**
 * Returns the signature of `authorizationDigest` by the owner: 0x and 130 hexadecimal digits, r, s
 * (the low one) and v (27 or 28).
 */
export function signAuthorization(
  ethereumPrivateKey: Uint8Array,
  publicKey: PublicKey,
  network: Network
): string {
  const digest = authorizationDigest(publicKey, network)
  const signature = secp256k1.sign(digest, ethereumPrivateKey, {
    prehash: false,
    format: "recovered"
  })
  return `0x${bytesToHex(signature.subarray(1))}${(27 + signature[0]!).toString(16)}`
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
  network: Network
): boolean {
  const parts = SIGNATURE.exec(signature)
  if (parts === null || !isSigningKey(publicKey)) return false
  const [, r, s, v] = parts as unknown as readonly [string, string, string, string]
  return recoverAddress(
    BigInt(`0x${r}`),
    BigInt(`0x${s}`),
    parseInt(v, 16) - 27,
    authorizationDigest(publicKey, network)
  ) === address
}

/** 0x, r, s and the recovery byte, 1b or 1c. */
const SIGNATURE = /^0x([0-9a-fA-F]{64})([0-9a-fA-F]{64})(1[bcBC])$/u

function recoverAddress(
  r: bigint,
  s: bigint,
  recovery: number,
  digest: Uint8Array
): EthereumAddress | undefined {
  try {
    return addressOfPoint(
      new secp256k1.Signature(r, s, recovery).recoverPublicKey(digest).toBytes(false)
    )
  } catch {
    // r or s is outside 1..n−1, or no point has this x: noble throws plain errors
    return undefined
  }
}

const DOMAIN_TYPE = keccak256(
  utf8ToBytes("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")
)
const DOMAIN_VERSION = keccak256(utf8ToBytes("1"))
const MESSAGE_TYPE = keccak256(
  utf8ToBytes("Authorise(string Provider,string Authorisation,bytes32 BJJKey)")
)
const MESSAGE_PURPOSE = keccak256(utf8ToBytes("Account creation"))

/** Returns 32 bytes that end in the hexadecimal digits. */
function bytes32(digits: string): Uint8Array {
  return hexToBytes(digits.padStart(64, "0"))
}
