import { babyjubjub } from "@noble/curves/misc.js"
import * as Result from "effect/Result"
import { type PublicKey, publicKeyToBigEndianHex } from "../../core/encoding/mod.ts"
import { isNeutral, multiplyAdd, pointTable } from "./_multiply_add.ts"
import { shortScalars } from "./_short_scalars.ts"
import { signingKey } from "./_signing_keys.ts"
import { decompressPublicKey } from "./babyjubjub.ts"
import { poseidon } from "./poseidon.ts"

/**
 * Whether a signature of 128 hexadecimal digits is one of the message by the key (domain §6.5): S·B8 = R8 + 8·h·A, without clearing the
 * cofactor, with S below the order of the subgroup and R8 and A in their only encoding.
 *
 * It does not ask whether the key is in the prime subgroup: where a key is admitted, `isSigningKey` does.
 */
export function verifyMessage(publicKey: PublicKey, message: bigint, signature: string): boolean {
  if (!SIGNATURE.test(signature)) return false
  const s = BigInt(`0x${publicKeyToBigEndianHex(signature.slice(64))}`)
  const key = s < ORDER ? signingKey(publicKey) : undefined
  const r = key && decompressPublicKey(signature.slice(0, 64).toLowerCase())
  if (key === undefined || r === undefined || Result.isFailure(r)) return false
  const { x, y } = r.success
  const challenge = poseidon([x, y, key.point.x, key.point.y, message])
  const { multiplier, short } = shortScalars(challenge % ORDER, ORDER)
  const wide = (multiplier * s) % ORDER
  const { base, upperBase } = bases ??= makeBases()
  // multiplier · (S·B8 − h·8A − R8)
  return isNeutral(multiplyAdd([
    [base, wide & LOWER],
    [upperBase, wide >> LOWER_BITS],
    [key.cleared, -short],
    [pointTable(Point.fromAffine({ x, y }), 4), -multiplier]
  ]))
}

const SIGNATURE = /^[0-9a-fA-F]{128}$/u

const { Point } = babyjubjub
const ORDER = Point.Fn.ORDER

/** The scalar of the base point stays wide, and is cut into two halves with a point each. */
const LOWER_BITS = 126n
const LOWER = (1n << LOWER_BITS) - 1n
/** Made with the first verification: some ten milliseconds, which a start need not wait for. */
const makeBases = () => ({ base: pointTable(Point.BASE, 8), upperBase: pointTable(Point.BASE.multiplyUnsafe(1n << LOWER_BITS), 8) })
let bases: ReturnType<typeof makeBases> | undefined
