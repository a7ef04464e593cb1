import { babyjubjub } from "@noble/curves/misc.js"
import * as Result from "effect/Result"
import type { PublicKey } from "../../core/encoding/mod.ts"
import { type PointTable, pointTable } from "./_multiply_add.ts"
import { type CurvePoint, decompressPublicKey } from "./babyjubjub.ts"

/** A key as the verification of a signature needs it. */
export interface SigningKey {
  readonly point: CurvePoint
  /** Of eight times the point, which is in the prime subgroup whatever the point is. */
  readonly cleared: PointTable
}

/** The point of a key, or undefined where the key is none; the last few thousand are remembered, since a wallet signs again and again. */
export function signingKey(key: PublicKey): SigningKey | undefined {
  const known = remembered.get(key)
  if (known !== undefined) return known
  const point = decompressPublicKey(key)
  if (Result.isFailure(point)) return undefined
  const found = { point: point.success, cleared: pointTable(Point.fromAffine(point.success).clearCofactor(), 5) }
  if (remembered.size >= KEYS_MAX) remembered.delete(remembered.keys().next().value!)
  remembered.set(key, found)
  return found
}

const { Point } = babyjubjub

/** About two kilobytes each. */
const KEYS_MAX = 4096
const remembered = new Map<PublicKey, SigningKey>()
