import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  compressPoint,
  decompressPublicKey,
  derivePublicKey,
  isInPrimeSubgroup,
  isSigningKey
} from "../../adapters/crypto/mod.ts"
import {
  EMPTY_PUBLIC_KEY,
  formatBarePublicKey,
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
  it("every wallet's public key follows from its private key", () => {
    verifyCases<WalletCase>("wallets", 260, (wallet) => {
      const key = derivePublicKey(Buffer.from(wallet.bjjPrivateKey, "hex"))
      assert.strictEqual(key, wallet.bjjCompressedBytesHex)
      for (const prefix of PREFIXES) {
        assert.strictEqual(formatPublicKey(prefix, key), withPrefix(prefix, wallet.bjj))
      }
      const point = { x: BigInt(wallet.publicKeyX), y: BigInt(wallet.publicKeyY) }
      assert.deepStrictEqual(decompressPublicKey(key), Result.succeed(point))
      assert.strictEqual(compressPoint(point), key)
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
      assert.strictEqual(isInPrimeSubgroup(key), decompresses && vector.inPrimeSubgroup === true)
      assert.strictEqual(
        isSigningKey(key),
        decompresses && vector.inPrimeSubgroup === true && vector.why !== "point of low order"
      )
      judged++
    })
    assert.strictEqual(judged, 270)
  })

  it("the published key follows from its private key", () => {
    const key = derivePublicKey(
      Buffer.from("0001020304050607080900010203040506070809000102030405060708090001", "hex")
    )
    assert.strictEqual(key, "c433f7a696b7aa3a5224efb3993baf0ccd9e92eecee0c29a3f6c8208a9e81d9e")
    assert.strictEqual(formatBarePublicKey(key), "xDP3ppa3qjpSJO-zmTuvDM2eku7O4MKaP2yCCKnoHZ7i")
  })

  it("a point has one key: y is below the modulus, and x of 0 has no sign", () => {
    assert.isTrue(
      Result.isFailure(decompressPublicKey(publicKeyFromParts({ y: MODULUS, sign: false })))
    )
    assert.isTrue(
      Result.isFailure(decompressPublicKey(publicKeyFromParts({ y: MODULUS + 1n, sign: false })))
    )
    assert.deepStrictEqual(
      decompressPublicKey(publicKeyFromParts({ y: 1n, sign: false })),
      Result.succeed({ x: 0n, y: 1n })
    )
    assert.isTrue(Result.isFailure(decompressPublicKey(publicKeyFromParts({ y: 1n, sign: true }))))
  })

  it("the neutral element and the empty key sign nothing", () => {
    const neutral = publicKeyFromParts({ y: 1n, sign: false })
    assert.deepStrictEqual([isInPrimeSubgroup(neutral), isSigningKey(neutral)], [true, false])
    assert.deepStrictEqual([isInPrimeSubgroup(EMPTY_PUBLIC_KEY), isSigningKey(EMPTY_PUBLIC_KEY)], [
      false,
      false
    ])
  })

  it.prop(
    "a derived key signs, decompresses and compresses back",
    { privateKey: bytes(32) },
    ({ privateKey }) => {
      const key = derivePublicKey(privateKey)
      assert.isTrue(isSigningKey(key))
      assert.strictEqual(compressPoint(Result.getOrThrow(decompressPublicKey(key))), key)
    },
    { arbitrary: { runs: 25 } }
  )

  it.prop("any 32 bytes decompress to a point that compresses back, or to none", {
    value: bytes(32)
  }, ({ value }) => {
    const key = Buffer.from(value).toString("hex")
    const point = decompressPublicKey(key)
    if (Result.isSuccess(point)) assert.strictEqual(compressPoint(point.success), key)
  })
})
