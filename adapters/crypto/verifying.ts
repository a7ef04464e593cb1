import { babyjubjub } from "@noble/curves/misc.js"
import * as Result from "effect/Result"
import { type PublicKey, publicKeyToBigEndianHex } from "../../core/encoding/mod.ts"
import { signingKey } from "./_signing_keys.ts"
import { decompressPublicKey } from "./babyjubjub.ts"
import { poseidon } from "./poseidon.ts"

/**
 * Whether a signature of 128 hexadecimal digits is one of the message by the key (domain §6.5):
 * S·B8 = R8 + 8·h·A, without clearing the cofactor, with S below the order of the subgroup and R8
 * and A in their only encoding.
 *
 * It does not check whether the key is in the prime subgroup: `isSigningKey` does, where a key is
 * authorized.
 */
export function verifyMessage(publicKey: PublicKey, message: bigint, signature: string): boolean {
  if (!SIGNATURE.test(signature)) return false
  const s = BigInt(`0x${publicKeyToBigEndianHex(signature.slice(64))}`)
  const key = s < ORDER ? signingKey(publicKey) : undefined
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
