import { babyjubjub } from "@noble/curves/misc.js"
import { blake512 } from "@noble/hashes/blake1.js"
import * as Result from "effect/Result"
import {
  EncodingError,
  type PublicKey,
  publicKeyFromParts,
  publicKeyParts
} from "../../core/encoding/mod.ts"

/** An affine point of the curve a·x² + y² = 1 + d·x²·y², both coordinates below the field modulus. */
export interface CurvePoint {
  readonly x: bigint
  readonly y: bigint
}

/**
 * The public key of a private key: its BLAKE-512 digest, first half pruned and divided by 8, times the base point of the subgroup.
 *
 * A private key is any bytes, 32 by custom.
 */
export function derivePublicKey(privateKey: Uint8Array): PublicKey {
  return compressPoint(Point.BASE.multiply(secretScalar(privateKey) % Fn.ORDER).toAffine())
}

/** y and the sign of x: set when x is above half of the field. */
export function compressPoint({ x, y }: CurvePoint): PublicKey {
  return publicKeyFromParts({ y, sign: x > X_POSITIVE_MAX })
}

/** The point of a key; fails when y is not below the field modulus, when no x belongs to it, or when x is 0 with the sign set. */
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

/** Whether the key is a point of the subgroup of prime order; the neutral element is one. */
export function isInPrimeSubgroup(key: PublicKey): boolean {
  const point = decompressPublicKey(key)
  return Result.isSuccess(point) && Point.fromAffine(point.success).isTorsionFree()
}

/** Whether signatures by the key mean anything: a point of the prime subgroup other than the neutral element, so not of low order. */
export function isSigningKey(key: PublicKey): boolean {
  return key !== NEUTRAL_KEY && isInPrimeSubgroup(key)
}

const { Point } = babyjubjub
const { Fp, Fn } = Point
const { a, d } = Point.CURVE()
const X_POSITIVE_MAX = (Fp.ORDER - 1n) / 2n
const NEUTRAL_KEY = publicKeyFromParts({ y: 1n, sign: false })

function secretScalar(privateKey: Uint8Array): bigint {
  const half = blake512(privateKey).subarray(0, 32)
  half[0] = half[0]! & 0xf8
  half[31] = (half[31]! & 0x7f) | 0x40
  let scalar = 0n
  for (let i = 31; i >= 0; i--) scalar = (scalar << 8n) | BigInt(half[i]!)
  return scalar >> 3n
}

/**
 * The root of x² = (1 − y²)/(a − d·y²) that is at most half of the field, or undefined if there is
 * none; the denominator is never 0, since a/d is no square.
 */
function positiveX(y: bigint): bigint | undefined {
  const ySquared = Fp.sqr(y)
  const x = squareRoot(Fp.div(Fp.sub(1n, ySquared), Fp.sub(a, Fp.mul(d, ySquared))))
  return x === undefined || x <= X_POSITIVE_MAX ? x : Fp.neg(x)
}

/** A square root, or undefined if there is none, for which the library throws. */
function squareRoot(value: bigint): bigint | undefined {
  try {
    return Fp.sqrt(value)
  } catch {
    return undefined
  }
}
