import { babyjubjub } from "@noble/curves/misc.js"
import { blake512 } from "@noble/hashes/blake1.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import {
  type PublicKey,
  publicKeyToBigEndianHex,
  publicKeyToBytes
} from "../../core/encoding/mod.ts"
import { verificationKey } from "./_verification_keys.ts"
import {
  compressPoint,
  decompressPublicKey,
  littleEndianNumber,
  secretScalar
} from "./babyjubjub.ts"
import { poseidon } from "./poseidon.ts"

/**
 * Returns the EdDSA signature of a field element over BabyJubJub and Poseidon (domain §6.5): 128
 * hexadecimal digits, the compressed point R8 and then S, little-endian. It is deterministic.
 * Throws a RangeError if the message is not in 0..2^256−1.
 */
export function signMessage(privateKey: Uint8Array, message: bigint): string {
  return signerOf(privateKey)(message)
}

/**
 * Returns `signMessage` for one private key. It is twice as fast for many messages, since the
 * values that depend only on the key are computed once.
 */
export function signerOf(privateKey: Uint8Array): (message: bigint) => string {
  const digest = blake512(privateKey)
  const secret = secretScalar(digest)
  const publicPoint = Point.BASE.multiply(secret % ORDER).toAffine()
  return (message) => {
    if (message < 0n || message >> 256n > 0n) {
      throw new RangeError(`Message ${message}, expected 0..2^256-1`)
    }
    const seed = new Uint8Array(64)
    seed.set(digest.subarray(32))
    seed.set(littleEndianBytes(message), 32)
    const nonce = littleEndianNumber(blake512(seed)) % ORDER
    const point = Point.BASE.multiply(nonce).toAffine()
    const challenge = poseidon([point.x, point.y, publicPoint.x, publicPoint.y, message])
    const s = (nonce + challenge * 8n * secret) % ORDER
    return bytesToHex(publicKeyToBytes(compressPoint(point))) + bytesToHex(littleEndianBytes(s))
  }
}

/**
 * Returns whether the signature, 128 hexadecimal digits, is one of the message by the key (domain
 * §6.5): S·B8 = R8 + 8·h·A without clearing the cofactor, S below the order of the subgroup, and R8
 * and A in their canonical encoding. A malformed signature or key returns false.
 *
 * It does not check whether the key is in the subgroup of prime order: `isSigningKey` checks that
 * when a key is authorized.
 *
 * @example
 * ```ts
 * import { derivePublicKey, signMessage, verifyMessage } from "rollup-node-api/crypto"
 *
 * const privateKey = new Uint8Array(32).fill(1)
 * const publicKey = derivePublicKey(privateKey)
 * const signature = signMessage(privateKey, 42n)
 * console.log(verifyMessage(publicKey, 42n, signature)) // => true
 * console.log(verifyMessage(publicKey, 43n, signature)) // => false
 * ```
 */
export function verifyMessage(publicKey: PublicKey, message: bigint, signature: string): boolean {
  if (!SIGNATURE.test(signature)) return false
  const s = BigInt(`0x${publicKeyToBigEndianHex(signature.slice(64))}`)
  const key = s < ORDER ? verificationKey(publicKey) : undefined
  const r = key && decompressPublicKey(signature.slice(0, 64).toLowerCase())
  if (key === undefined || r === undefined || Result.isFailure(r)) return false
  const { x, y } = r.success
  const challenge = poseidon([x, y, key.point.x, key.point.y, message]) % ORDER
  const sum = Point.fromAffine(r.success).add(key.multiplyCleared(challenge))
  return Point.BASE.multiplyUnsafe(s).equals(sum)
}

const SIGNATURE = /^[0-9a-fA-F]{128}$/u

const { Point } = babyjubjub
const ORDER = Point.Fn.ORDER

function littleEndianBytes(value: bigint): Uint8Array {
  const bytes = new Uint8Array(32)
  for (let i = 0, rest = value; i < 32; i++, rest >>= 8n) bytes[i] = Number(rest & 255n)
  return bytes
}
