import { interleavedMSMUnsafe } from "@noble/curves/abstract/curve.js"
import { babyjubjub } from "@noble/curves/misc.js"
import * as Result from "effect/Result"
import type { PublicKey } from "../../core/encoding/mod.ts"
import { type CurvePoint, decompressPublicKey } from "./babyjubjub.ts"

type Point = typeof Point.BASE

/** A public key, prepared for verifying signatures. */
export interface SigningKey {
  readonly point: CurvePoint
  /** Multiplies eight times the point, which is in the prime subgroup whatever the point is. */
  readonly multiplyCleared: (scalar: bigint) => Point
}

/**
 * Returns the prepared key, or undefined if it is no point of the curve. The last few thousand are
 * cached, since a wallet signs again and again.
 */
export function signingKey(publicKey: PublicKey): SigningKey | undefined {
  const known = cached.get(publicKey)
  if (known !== undefined) return known
  const point = decompressPublicKey(publicKey)
  if (Result.isFailure(point)) return undefined
  const cleared = Point.fromAffine(point.success).clearCofactor()
  const multiply = interleavedMSMUnsafe(Point, [cleared], WINDOW)
  const key: SigningKey = {
    point: point.success,
    multiplyCleared: (scalar) => multiply([scalar])
  }
  if (cached.size >= KEYS_MAX) cached.delete(cached.keys().next().value!)
  cached.set(publicKey, key)
  return key
}

const { Point } = babyjubjub

/** Of the table of multiples of each key: about two kilobytes. */
const WINDOW = 5
const KEYS_MAX = 4096
const cached = new Map<PublicKey, SigningKey>()
