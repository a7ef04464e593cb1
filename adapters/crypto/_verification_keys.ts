import { interleavedMSMUnsafe } from "@noble/curves/abstract/curve.js"
import { babyjubjub } from "@noble/curves/misc.js"
import * as Result from "effect/Result"
import type { PublicKey } from "../../core/encoding/mod.ts"
import { type CurvePoint, decompressPublicKey } from "./babyjubjub.ts"

type Point = typeof Point.BASE

/** A public key, prepared for the verification of signatures. */
export interface VerificationKey {
  readonly point: CurvePoint
  /** Multiplies eight times the point, which is always in the subgroup of prime order. */
  readonly multiplyCleared: (scalar: bigint) => Point
}

/**
 * Returns the prepared key, or undefined if the public key is not a point of the curve. Caches the
 * last 4096 keys, since a wallet signs many transactions with one key.
 */
export function verificationKey(publicKey: PublicKey): VerificationKey | undefined {
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

const { Point } = babyjubjub

/** Bits of a window of the table of multiples: about two kilobytes for each key. */
const WINDOW = 5
const KEYS_MAX = 4096
const cached = new Map<PublicKey, VerificationKey>()
