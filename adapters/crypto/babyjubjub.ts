import { babyjubjub } from "@noble/curves/misc.js"
import { bytesToNumberLE } from "@noble/curves/utils.js"
import { blake512 } from "@noble/hashes/blake1.js"
import * as Result from "effect/Result"
import {
  EncodingError,
  type PublicKey,
  publicKeyFromParts,
  publicKeyParts
} from "../../core/encoding/mod.ts"

/**
 * An affine point of the curve a·x² + y² = 1 + d·x²·y², with coordinates below the field modulus.
 */
export interface CurvePoint {
  readonly x: bigint
  readonly y: bigint
}

/**
 * Returns the public key of a private key. A private key is any bytes, usually 32.
 *
 * The first half of its BLAKE-512 digest, pruned and divided by 8, is multiplied with the base
 * point of the subgroup.
 *
 * @example
 * ```ts
 * import { formatPublicKey } from "rollup-node-api"
 * import { derivePublicKey } from "rollup-node-api/crypto"
 *
 * const key = derivePublicKey(new Uint8Array(32).fill(1))
 * console.log(formatPublicKey("zk", key)) // => zk:_lGG0Qj8U5QMNdHC9K9Ouy0gRazYFDtLwHGbrT85JKZ8
 * ```
 */
export function derivePublicKey(privateKey: Uint8Array): PublicKey {
  return compressPoint(
    Point.BASE.multiply(secretScalar(blake512(privateKey)) % Fn.ORDER).toAffine()
  )
}

/**
 * Returns the secret scalar of a BLAKE-512 digest of a private key: its first half, pruned and
 * divided by 8.
 */
export function secretScalar(digest: Uint8Array): bigint {
  const half = digest.slice(0, 32)
  half[0] = half[0]! & 0xf8
  half[31] = (half[31]! & 0x7f) | 0x40
  return bytesToNumberLE(half) >> 3n
}

/**
 * Returns the compressed form of a point: y, and a sign bit if x is above half of the field
 * (PROTOCOL.md "Public key").
 */
export function compressPoint({ x, y }: CurvePoint): PublicKey {
  return publicKeyFromParts({ y, sign: x > X_POSITIVE_MAX })
}

/**
 * Returns the point of a public key. Fails with an `EncodingError` if y is not below the field
 * modulus, if no point of the curve has this y, or if x is 0 and the sign bit is set.
 */
export function decompressPublicKey(key: PublicKey): Result.Result<CurvePoint, EncodingError> {
  const { y, sign } = publicKeyParts(key)
  if (y >= Fp.ORDER) {
    return Result.fail(new EncodingError(key, "a public key whose y is below the field modulus"))
  }
  const x = positiveX(y)
  if (x === undefined) {
    return Result.fail(new EncodingError(key, "a public key on the BabyJubJub curve"))
  }
  if (x === 0n && sign) {
    return Result.fail(new EncodingError(key, "a public key without sign where x is 0"))
  }
  return Result.succeed({ x: sign ? Fp.ORDER - x : x, y })
}

/**
 * Returns whether signatures by the key are secure: it is a point of the subgroup of prime order,
 * and not the neutral element. Anyone can sign for a key of low order.
 *
 * @example
 * ```ts
 * import { publicKeyFromParts } from "rollup-node-api"
 * import { derivePublicKey, isSigningKey } from "rollup-node-api/crypto"
 *
 * console.log(isSigningKey(derivePublicKey(new Uint8Array(32).fill(1)))) // => true
 * console.log(isSigningKey(publicKeyFromParts({ y: 1n, sign: false }))) // => false
 * ```
 */
export function isSigningKey(key: PublicKey): boolean {
  if (key === NEUTRAL_KEY) return false
  const point = decompressPublicKey(key)
  return Result.isSuccess(point) && Point.fromAffine(point.success).isTorsionFree()
}

const { Point } = babyjubjub
const { Fp, Fn } = Point
const { a, d } = Point.CURVE()
const X_POSITIVE_MAX = (Fp.ORDER - 1n) / 2n
const NEUTRAL_KEY = publicKeyFromParts({ y: 1n, sign: false })

/**
 * Returns the root of x² = (1 − y²)/(a − d·y²) that is at most half of the field, or undefined if
 * there is none. The denominator is never 0, since a/d is not a square.
 */
function positiveX(y: bigint): bigint | undefined {
  const ySquared = Fp.sqr(y)
  const x = squareRoot(Fp.div(Fp.sub(1n, ySquared), Fp.sub(a, Fp.mul(d, ySquared))))
  return x === undefined || x <= X_POSITIVE_MAX ? x : Fp.neg(x)
}

/** Returns a square root, or undefined if there is none; the library throws then. */
function squareRoot(value: bigint): bigint | undefined {
  try {
    return Fp.sqrt(value)
  } catch {
    return undefined
  }
}
