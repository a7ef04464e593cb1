import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parseDecimal, parseDecimalNumber } from "../../core/encoding/mod.ts"
import { unsigned } from "./_arbitrary.ts"
import { accepts, refuses } from "./_verdict.ts"

const UINT64_MAX = (1n << 64n) - 1n
const UINT256 = { minimum: 0n, maximum: (1n << 256n) - 1n }
const SAFE = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

describe("decimal integers", () => {
  it("only plain digits are accepted", () => {
    for (
      const text of [
        "",
        " ",
        "1 ",
        " 1",
        "\n1",
        "+1",
        "-0",
        "-1",
        "00",
        "01",
        "1e3",
        "1.0",
        "0x1",
        "1_000",
        "١",
        "NaN",
        "Infinity"
      ]
    ) {
      refuses(parseDecimal(text, UINT256), text)
      refuses(parseDecimalNumber(text, SAFE), text)
    }
    accepts(parseDecimal("0", UINT256), 0n)
    accepts(parseDecimalNumber("0", SAFE), 0)
  })

  it("has leading zeros only if they are allowed, and never a sign", () => {
    const lenient = { allowsLeadingZeros: true }
    for (const zeros of ["", "0", "00", "0".repeat(5000)]) {
      accepts(parseDecimal(`${zeros}7`, { ...UINT256, ...lenient }), 7n)
      accepts(parseDecimalNumber(`${zeros}7`, { ...SAFE, ...lenient }), 7)
      accepts(parseDecimal(`${zeros}0`, { ...UINT256, ...lenient }), 0n)
      accepts(parseDecimalNumber(`${zeros}0`, { ...SAFE, ...lenient }), 0)
    }
    for (const text of ["", "+7", "-0", "0 7", "0x7", "007.0", "7e0", "0_7"]) {
      assert.isTrue(Result.isFailure(parseDecimal(text, { ...UINT256, ...lenient })), text)
      assert.isTrue(Result.isFailure(parseDecimalNumber(text, { ...SAFE, ...lenient })), text)
    }
    assert.isTrue(Result.isFailure(parseDecimalNumber("0256", { minimum: 0, maximum: 255 })))
    assert.isTrue(
      Result.isFailure(parseDecimalNumber("0256", { minimum: 0, maximum: 255, ...lenient }))
    )
  })

  it("both bounds are included", () => {
    const verdicts = ["4", "5", "25", "26"].map((text) =>
      Result.isSuccess(parseDecimal(text, { minimum: 5n, maximum: 25n }))
    )
    assert.deepStrictEqual(verdicts, [false, true, true, false])
    const numbers = ["4", "5", "25", "26"].map((text) =>
      Result.isSuccess(parseDecimalNumber(text, { minimum: 5, maximum: 25 }))
    )
    assert.deepStrictEqual(numbers, [false, true, true, false])
    accepts(parseDecimalNumber("9007199254740991", SAFE), Number.MAX_SAFE_INTEGER)
    refuses(parseDecimalNumber("9007199254740992", SAFE), "9007199254740992")
    refuses(parseDecimalNumber("9007199254740993", SAFE), "9007199254740993")
  })

  it("the contract's rounded literal is 2^64-1 if that is the maximum, and refused otherwise", () => {
    const literal = "1.84467440737096e+19"
    accepts(parseDecimal(literal, { minimum: 0n, maximum: UINT64_MAX }), UINT64_MAX)
    refuses(parseDecimal(literal, UINT256), literal)
    refuses(
      parseDecimal("1.84467440737096e+18", { minimum: 0n, maximum: UINT64_MAX }),
      "1.84467440737096e+18"
    )
    accepts(parseDecimal(String(UINT64_MAX), { minimum: 0n, maximum: UINT64_MAX }), UINT64_MAX)
    refuses(
      parseDecimal(String(UINT64_MAX + 1n), { minimum: 0n, maximum: UINT64_MAX }),
      String(UINT64_MAX + 1n)
    )
  })

  it.prop("an integer of 256 bits round-trips", { value: unsigned(256) }, ({ value }) => {
    accepts(parseDecimal(String(value), UINT256), value)
    refuses(
      parseDecimal(String(value), { minimum: value + 1n, maximum: UINT256.maximum + 1n }),
      String(value)
    )
  })
})
