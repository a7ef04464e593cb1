import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { FEE_SELECTOR_MAX, feeAmount, feeFactor, selectFee } from "../../core/encoding/mod.ts"
import { verifyCases, type VectorCase } from "../vectors/mod.ts"
import { unsigned } from "./_arbitrary.ts"
import { accepts, refuses } from "./_verdict.ts"

type FeeCase =
  & VectorCase
  & { readonly feeIndex: number }
  & (
    | {
      readonly op: "table"
      readonly factorShifted60: string | null
      readonly factor: string | null
    }
    | {
      readonly op: "feeAmount"
      readonly amount: string
      readonly feeAmount?: string
      readonly fitsIn128Bits?: boolean
    }
    | { readonly op: "feeIndex"; readonly amount: string; readonly fee: string }
  )

describe("fees", () => {
  it("every factor, fee and choice of the vectors is reproduced", () => {
    verifyCases<FeeCase>("fees", 709, (vector) => {
      switch (vector.op) {
        case "table":
          // on 2^60 a fixed-point fee is the table entry itself
          return vector.factorShifted60 === null
            ? accepts(feeAmount(1n, vector.feeIndex), BigInt(vector.factor ?? -1))
            : accepts(feeAmount(1n << 60n, vector.feeIndex), BigInt(vector.factorShifted60))
        case "feeAmount": {
          const result = feeAmount(BigInt(vector.amount), vector.feeIndex)
          if (vector.negative) return refuses(result, String(vector.feeIndex))
          return vector.fitsIn128Bits === true
            ? accepts(result, BigInt(vector.feeAmount ?? -1))
            : refuses(result, vector.amount)
        }
        case "feeIndex":
          return assert.strictEqual(
            selectFee(BigInt(vector.fee), BigInt(vector.amount)),
            vector.feeIndex
          )
      }
      assert.fail("unknown operation")
    })
  })

  it("a fee of 128 bits fits and the next one does not", () => {
    accepts(feeAmount((1n << 128n) - 1n, 192), (1n << 128n) - 1n)
    refuses(feeAmount(1n << 128n, 192), String(1n << 128n))
    refuses(feeAmount(-1n, 1), "-1")
    accepts(feeAmount(0n, 255), 0n)
    for (const selector of [-1, 1.5, 256]) refuses(feeAmount(1n, selector), String(selector))
  })

  it("the factor has 7 significant digits and agrees with the table", () => {
    assert.strictEqual(feeFactor(0), 0)
    assert.strictEqual(feeFactor(32), 0.00390625)
    assert.strictEqual(feeFactor(126), 0.1015315)
    assert.strictEqual(feeFactor(172), 0.5)
    assert.strictEqual(feeFactor(255), 9223372e12)
    for (let selector = 1; selector <= FEE_SELECTOR_MAX; selector++) {
      const factor = feeFactor(selector)
      assert.strictEqual(Number(factor.toPrecision(7)), factor)
      if (selector < 20) continue // entries this low have lost their digits to rounding
      const exact = Number(Result.getOrThrow(feeAmount(1n << 60n, selector))) / 2 ** 60
      assert.approximately(factor / exact, 1, 1e-6)
    }
    for (const selector of [-1, 0.5, 256]) assert.throws(() => feeFactor(selector), RangeError)
  })

  it("the fee is 0 for an amount of 0 and for a wish of 0", () => {
    for (const [fee, amount] of [[0n, 10n], [-1n, 10n], [10n, 0n], [10n, -1n]] as const) {
      assert.strictEqual(selectFee(fee, amount), 0)
    }
    assert.strictEqual(selectFee(1n << 200n, 1n), FEE_SELECTOR_MAX)
  })

  it.prop("the selected fee is the lowest that reaches the wish", {
    amount: unsigned(60),
    wanted: unsigned(60)
  }, ({ amount, wanted }) => {
    const selector = selectFee(wanted, amount)
    if (wanted === 0n || amount === 0n) return assert.strictEqual(selector, 0)
    if (selector < FEE_SELECTOR_MAX) {
      assert.isTrue(Result.getOrThrow(feeAmount(amount, selector)) >= wanted)
    }
    assert.isTrue(Result.getOrThrow(feeAmount(amount, selector - 1)) < wanted)
  })
})
