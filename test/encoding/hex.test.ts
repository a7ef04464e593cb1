import { assert, describe, it } from "@effect/vitest"
import { bytesOfHex, hexOfBytes } from "../../core/encoding/mod.ts"

describe("hexadecimal digits", () => {
  it("are those that Node writes, in either case", () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => 255 - i)
    const digits = Buffer.from(bytes).toString("hex")
    assert.strictEqual(hexOfBytes(bytes), digits)
    assert.deepStrictEqual(bytesOfHex(digits), bytes)
    assert.deepStrictEqual(bytesOfHex(digits.toUpperCase()), bytes)
    assert.deepStrictEqual(bytesOfHex(""), new Uint8Array())
  })

  it("are refused if their number is odd, or if there are other characters", () => {
    for (const text of ["0", "abc", "0x00", "0g", "g0", "é0", " 0"]) {
      assert.throws(() => bytesOfHex(text), RangeError)
    }
  })
})
