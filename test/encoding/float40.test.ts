import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { decodeFloat40, encodeFloat40, floorFloat40 } from "../../core/encoding/mod.ts"
import { verifyCases, type VectorCase } from "../vectors/mod.ts"
import { integer, unsigned } from "./_arbitrary.ts"
import { accepts, refuses } from "./_verdict.ts"

type FloatCase =
  & VectorCase
  & (
    | {
      readonly op: "compress" | "floorCompress"
      readonly amount: string
      readonly float40?: number
      readonly error?: string
    }
    | {
      readonly op: "decompress"
      readonly amount: string
      readonly float40In: number
      readonly canonicalFloat40: number
    }
  )

const FLOAT_MAX = 2 ** 40 - 1

describe("float40", () => {
  it("every amount and float of the vectors is encoded, rounded down, decoded or refused", () => {
    verifyCases<FloatCase>("float40", 673, (vector) => {
      const amount = BigInt(vector.amount)
      if (vector.op === "decompress") {
        assert.strictEqual(decodeFloat40(vector.float40In), amount)
        accepts(encodeFloat40(amount), vector.canonicalFloat40)
        return
      }
      const result = vector.op === "compress" ? encodeFloat40(amount) : floorFloat40(amount)
      if (vector.negative) refuses(result, vector.amount)
      else accepts(result, vector.float40 ?? -1)
    })
  })

  it("negative amounts and amounts above the highest are refused", () => {
    for (const amount of [-1n, -(10n ** 30n), (2n ** 35n - 1n) * 10n ** 31n + 10n ** 31n]) {
      refuses(encodeFloat40(amount), String(amount))
      refuses(floorFloat40(amount), String(amount))
    }
  })

  it.prop("a decoded amount encodes to a float of the same amount", {
    float: integer(0, FLOAT_MAX)
  }, ({ float }) => {
    const amount = decodeFloat40(float)
    const encoded = Result.getOrThrow(encodeFloat40(amount))
    assert.strictEqual(decodeFloat40(encoded), amount)
    accepts(floorFloat40(amount), encoded)
    assert.isAtMost(encoded, float)
  })

  it.prop("rounding down loses less than one step and is exact where encoding is", {
    amount: unsigned(137)
  }, ({ amount }) => {
    const floor = Result.getOrThrow(floorFloat40(amount))
    const floored = decodeFloat40(floor)
    assert.isTrue(floored <= amount)
    assert.isTrue(
      floor === FLOAT_MAX || decodeFloat40(floor + 1) > amount || (floor + 1) % 2 ** 35 === 0
    )
    assert.strictEqual(Result.isSuccess(encodeFloat40(amount)), floored === amount)
  })

  it("a number of more than 40 bits is refused", () => {
    for (const float of [-1, 0.5, 2 ** 40, NaN]) {
      assert.throws(() => decodeFloat40(float), RangeError)
    }
  })
})
