import { babyjubjub } from "@noble/curves/misc.js"
import { blake512 } from "@noble/hashes/blake1.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { publicKeyToBytes } from "../../core/encoding/mod.ts"
import { compressPoint } from "./babyjubjub.ts"
import { poseidon } from "./poseidon.ts"

/**
 * Signs a field element with EdDSA over BabyJubJub and Poseidon (domain §6.5): 128 hexadecimal digits, the compressed point R8 and then S,
 * little-endian. The same key and message give the same signature. Throws a RangeError when the message is not below 2^256.
 */
export function signMessage(privateKey: Uint8Array, message: bigint): string {
  return signerOf(privateKey)(message)
}

/** `signMessage` with one key again and again, in half the time: what follows from the key alone is computed once, and kept as it is. */
export function signerOf(privateKey: Uint8Array): (message: bigint) => string {
  const digest = blake512(privateKey)
  const secret = secretScalar(digest)
  const owner = Point.BASE.multiply(secret % Fn.ORDER).toAffine()
  return (message) => {
    if (message < 0n || message >> 256n > 0n) {
      throw new RangeError(`Message ${message}, expected 0..2^256-1`)
    }
    const seed = new Uint8Array(64)
    seed.set(digest.subarray(32))
    seed.set(littleEndian(message), 32)
    const nonce = numberOf(blake512(seed)) % Fn.ORDER
    const point = Point.BASE.multiply(nonce).toAffine()
    const challenge = poseidon([point.x, point.y, owner.x, owner.y, message])
    const s = (nonce + challenge * 8n * secret) % Fn.ORDER
    return bytesToHex(publicKeyToBytes(compressPoint(point))) + bytesToHex(littleEndian(s))
  }
}

const { Point } = babyjubjub
const { Fn } = Point

/** The first half of the digest, pruned and divided by 8: the scalar whose multiple of the base point is the public key. */
function secretScalar(digest: Uint8Array): bigint {
  const half = digest.slice(0, 32)
  half[0] = half[0]! & 0xf8
  half[31] = (half[31]! & 0x7f) | 0x40
  return numberOf(half) >> 3n
}

function numberOf(littleEndianBytes: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(littleEndianBytes.toReversed())}`)
}

function littleEndian(value: bigint): Uint8Array {
  const bytes = new Uint8Array(32)
  for (let i = 0, rest = value; i < 32; i++, rest >>= 8n) bytes[i] = Number(rest & 255n)
  return bytes
}
