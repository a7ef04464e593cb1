import { interleavedMSMUnsafe } from "@noble/curves/abstract/curve.js"
import { babyjubjub } from "@noble/curves/misc.js"
import { poseidon } from "../../adapters/crypto/mod.ts"
import { type PublicKey, publicKeyParts, publicKeyToBigEndianHex } from "../../core/encoding/mod.ts"

/* `verifyMessage` with the arithmetic of @noble/curves, to compare with. */

const { Point } = babyjubjub
const { Fn, Fp } = Point
const { a, d } = Point.CURVE()
const X_POSITIVE_MAX = (Fp.ORDER - 1n) / 2n
const SIGNATURE = /^[0-9a-fA-F]{128}$/u

type NoblePoint = typeof Point.BASE

interface Key {
  readonly point: NoblePoint
  /** Multiplies eight times the point. */
  readonly multiplyCleared: (scalars: Array<bigint>) => NoblePoint
}

const decompress = (key: PublicKey): NoblePoint | undefined => {
  const { sign, y } = publicKeyParts(key)
  if (y >= Fp.ORDER) return undefined
  const ySquared = Fp.sqr(y)
  const xSquared = Fp.div(Fp.sub(1n, ySquared), Fp.sub(a, Fp.mul(d, ySquared)))
  let x: bigint
  try {
    x = Fp.sqrt(xSquared)
  } catch {
    return undefined
  }
  if (x === 0n && sign) return undefined
  return Point.fromAffine({ x: x > X_POSITIVE_MAX === sign ? x : Fp.neg(x), y })
}

const cached = new Map<PublicKey, Key>()
const keyOf = (publicKey: PublicKey): Key | undefined => {
  const known = cached.get(publicKey)
  if (known !== undefined) return known
  const point = decompress(publicKey)
  if (point === undefined) return undefined
  const key = { point, multiplyCleared: interleavedMSMUnsafe(Point, [point.clearCofactor()], 5) }
  cached.set(publicKey, key)
  return key
}

export function verifyMessageWithNoble(publicKey: PublicKey, message: bigint, signature: string): boolean {
  if (!SIGNATURE.test(signature)) return false
  const s = BigInt(`0x${publicKeyToBigEndianHex(signature.slice(64))}`)
  const key = s < Fn.ORDER ? keyOf(publicKey) : undefined
  const r = key && decompress(signature.slice(0, 64).toLowerCase())
  if (key === undefined || r === undefined) return false
  const challenge = poseidon([r.x, r.y, key.point.x, key.point.y, message]) % Fn.ORDER
  return Point.BASE.multiplyUnsafe(s).equals(key.multiplyCleared([challenge]).add(r))
}
