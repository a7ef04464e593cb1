import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  compressPoint,
  decompressPublicKey,
  derivePublicKey,
  isSigningKey
} from "../../adapters/crypto/babyjubjub.ts"
import {
  EMPTY_PUBLIC_KEY,
  formatPublicKey,
  parsePublicKey,
  publicKeyFromParts
} from "../../core/encoding/mod.ts"
import { bytes } from "../encoding/_arbitrary.ts"
import { PREFIXES, verifyCases, type VectorCase, withPrefix } from "../vectors/mod.ts"

interface WalletCase {
  readonly bjjPrivateKey: string
  readonly bjj: string
  readonly bjjCompressedBytesHex: string
  readonly publicKeyX: string
  readonly publicKeyY: string
}

interface KeyCase extends VectorCase {
  readonly text: string
  readonly isBjj: boolean
  readonly yBelowModulus?: boolean
  readonly decompresses?: boolean
  readonly inPrimeSubgroup?: boolean
}

const MODULUS = 21888242871839275222246405745257275088548364400416034343698204186575808495617n

describe("BabyJubJub keys", () => {
  it("every wallet's public key follows from its private key, and can sign", () => {
    verifyCases<WalletCase>("wallets", 260, (wallet) => {
      const key = derivePublicKey(Buffer.from(wallet.bjjPrivateKey, "hex"))
      assert.strictEqual(key, wallet.bjjCompressedBytesHex)
      for (const prefix of PREFIXES) {
        assert.strictEqual(formatPublicKey(prefix, key), withPrefix(prefix, wallet.bjj))
      }
      const point = { x: BigInt(wallet.publicKeyX), y: BigInt(wallet.publicKeyY) }
      assert.deepStrictEqual(decompressPublicKey(key), Result.succeed(point))
      assert.strictEqual(compressPoint(point), key)
      assert.isTrue(isSigningKey(key))
    })
  })

  it("every key of the vectors is on the curve and in the prime subgroup, or not, as the vectors say", () => {
    let judged = 0
    verifyCases<KeyCase>("bjj-encoding", 453, (vector) => {
      if (!vector.isBjj) return
      const key = Result.getOrThrow(parsePublicKey("hez", vector.text))
      // the reference accepts y equal to the modulus; here y must be below it
      const decompresses = vector.decompresses === true && vector.yBelowModulus === true
      assert.strictEqual(Result.isSuccess(decompressPublicKey(key)), decompresses)
      assert.strictEqual(
        isSigningKey(key),
        decompresses && vector.inPrimeSubgroup === true && vector.why !== "point of low order"
      )
      judged++
    })
    assert.strictEqual(judged, 270)
  })

  it("a point has one key: y is below the modulus, x of 0 has no sign; the neutral element and the empty key sign nothing", () => {
    const cases = [
      // y, sign, x of the point
      [MODULUS, false, undefined],
      [MODULUS + 1n, false, undefined],
      [1n, false, 0n],
      [1n, true, undefined]
    ] as const
    for (const [y, sign, x] of cases) {
      const key = publicKeyFromParts({ y, sign })
      const point = Result.getOrUndefined(decompressPublicKey(key))
      assert.deepStrictEqual(point, x === undefined ? undefined : { x, y })
      assert.isFalse(isSigningKey(key))
    }
    assert.isFalse(isSigningKey(EMPTY_PUBLIC_KEY))
  })

  it.prop("any 32 bytes decompress to a point that compresses back, or to none", {
    value: bytes(32)
  }, ({ value }) => {
    const key = Buffer.from(value).toString("hex")
    const point = decompressPublicKey(key)
    if (Result.isSuccess(point)) assert.strictEqual(compressPoint(point.success), key)
  })
})
