import * as Result from "effect/Result"
import { interleavedMSMUnsafe } from "@noble/curves/abstract/curve.js"
import { babyjubjub } from "@noble/curves/misc.js"
import { bytesToNumberLE, numberToBytesLE } from "@noble/curves/utils.js"
import { hexOfBytes, type PublicKey, publicKeyToBigEndianHex } from "../../core/encoding/mod.ts"
import { type CurvePoint, decompressPublicKey, compressPoint, secretScalar } from "./babyjubjub.ts"
import { blake512 } from "@noble/hashes/blake1.js"
import { poseidon } from "./poseidon.ts"

const { Point } = babyjubjub
type Point = typeof Point.BASE

/** A public key, prepared for the verification of signatures. */
interface VerificationKey {
  readonly point: CurvePoint
  /** Multiplies eight times the point, which is always in the subgroup of prime order. */
  readonly multiplyCleared: (scalar: bigint) => Point
}

/**
 * Returns the prepared key, or undefined if the public key is not a point of the curve. Caches the
 * last 4096 keys, since a wallet signs many transactions with one key.
 */
function verificationKey(publicKey: PublicKey): VerificationKey | undefined {
  const known = cached.get(publicKey)
  if (known !== undefined) return known
  const point = decompressPublicKey(publicKey)
  if (Result.isFailure(point)) return undefined
  const cleared = Point.fromAffine(point.success).clearCofactor()
  const multiply = interleavedMSMUnsafe(Point, [cleared], WINDOW)
  const key: VerificationKey = {
    point: point.success,
    multiplyCleared: (scalar) => multiply([scalar])
  }
  if (cached.size >= KEYS_MAX) cached.delete(cached.keys().next().value!)
  cached.set(publicKey, key)
  return key
}

/** Bits of a window of the table of multiples: about two kilobytes for each key. */
const WINDOW = 5
const KEYS_MAX = 4096
const cached = new Map<PublicKey, VerificationKey>()

/**
 * Returns a function that signs field elements with a private key: EdDSA over BabyJubJub and
 * Poseidon. The values that depend only on the key are computed once. A signature is deterministic:
 * 128 hexadecimal digits, the compressed point R8 and then S, little-endian. The function throws a
 * RangeError if the message is not in 0..2^256−1. PROTOCOL.md "Message signature" has the formulas.
 *
 * @example
 * ```ts
 * import { signerOf } from "rollup-node-api/crypto"
 *
 * const signature = signerOf(new Uint8Array(32).fill(1))(42n)
 * console.log(signature.slice(0, 8), signature.length) // => 55201714 128
 * ```
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
    seed.set(numberToBytesLE(message, 32), 32)
    const nonce = bytesToNumberLE(blake512(seed)) % ORDER
    const point = Point.BASE.multiply(nonce).toAffine()
    const challenge = poseidon([point.x, point.y, publicPoint.x, publicPoint.y, message])
    const s = (nonce + challenge * 8n * secret) % ORDER
    return compressPoint(point) + hexOfBytes(numberToBytesLE(s, 32))
  }
}

/**
 * Returns whether the signature, 128 hexadecimal digits, is one of the message by the key (PROTOCOL.md
 * "Message signature"): S·B8 = R8 + 8·h·A without clearing the cofactor, S below the order of the
 * subgroup, and R8 and A in their canonical encoding. A malformed signature or key returns false.
 *
 * It does not check whether the key is in the subgroup of prime order: `isSigningKey` checks that
 * when a key is authorized.
 *
 * @example
 * ```ts
 * import { derivePublicKey, signerOf, verifyMessage } from "rollup-node-api/crypto"
 *
 * const privateKey = new Uint8Array(32).fill(1)
 * const publicKey = derivePublicKey(privateKey)
 * const signature = signerOf(privateKey)(42n)
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

const ORDER = Point.Fn.ORDER
