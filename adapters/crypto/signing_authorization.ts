import { secp256k1 } from "@noble/curves/secp256k1.js"
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Network } from "../../core/domain/mod.ts"
import {
  type EthereumAddress,
  type PublicKey,
  publicKeyToBigEndianHex
} from "../../core/encoding/mod.ts"
import { keccak256 } from "../hashing/mod.ts"

/** The address of an Ethereum private key of 32 bytes. */
export function ethereumAddress(privateKey: Uint8Array): EthereumAddress {
  return addressOfPoint(secp256k1.getPublicKey(privateKey, false))
}

/** The address of an Ethereum public key of 65 bytes: 4, x and y. */
export function addressOfPoint(point: Uint8Array): EthereumAddress {
  return `0x${bytesToHex(keccak256(point.subarray(1)).subarray(12))}`
}

/** The EIP-712 digest by which an Ethereum owner lets any coordinator create accounts for a key (domain §5, HEAD). */
export function authorizationDigest(
  publicKey: PublicKey,
  { chainId, name, rollupAddress }: Network
): Uint8Array {
  const provider = keccak256(utf8ToBytes(name))
  const domain = keccak256(concatBytes(
    DOMAIN_TYPE,
    provider,
    DOMAIN_VERSION,
    word(chainId.toString(16)),
    word(rollupAddress.slice(2))
  ))
  const message = keccak256(concatBytes(
    MESSAGE_TYPE,
    provider,
    MESSAGE_PURPOSE,
    hexToBytes(publicKeyToBigEndianHex(publicKey))
  ))
  return keccak256(concatBytes(Uint8Array.of(0x19, 0x01), domain, message))
}

/** The owner's signature on the digest: 0x and 130 hexadecimal digits, r, s (the low one) and v, 27 or 28. */
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

const DOMAIN_TYPE = keccak256(
  utf8ToBytes("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")
)
const DOMAIN_VERSION = keccak256(utf8ToBytes("1"))
const MESSAGE_TYPE = keccak256(
  utf8ToBytes("Authorise(string Provider,string Authorisation,bytes32 BJJKey)")
)
const MESSAGE_PURPOSE = keccak256(utf8ToBytes("Account creation"))

/** 32 bytes, the digits at their end. */
function word(digits: string): Uint8Array {
  return hexToBytes(digits.padStart(64, "0"))
}
