import { assert, describe, it } from "@effect/vitest"
import { readRowGroup, writeRowGroup } from "../../../adapters/journal/checkpoint/row_group.ts"

const rowGroup = {
  // an odd number of bytes before each array
  columns: [
    Uint8Array.of(1, 2, 255),
    Uint16Array.of(3, 65_535),
    Uint32Array.of(4, 4_294_967_295),
    Int16Array.of(-1, 5),
    Float64Array.of(NaN, -0.5, 2 ** 53),
    BigUint64Array.of(0n, 2n ** 64n - 1n),
    new Float64Array(0)
  ].map((array) => ({ odd: Uint8Array.of(7), array })),
  part: new Uint32Array(Uint32Array.of(8, 9, 10, 11).buffer, 4, 2),
  texts: ["", "text", "\u{1fa99}"],
  others: new Map([[3, "0x00"]]),
  amount: 2n ** 200n,
  nothing: null
}

describe("a row group in a checkpoint", () => {
  it("is read as it was written, and its arrays are views of the bytes", () => {
    const bytes = new Uint8Array(writeRowGroup(rowGroup))
    const read = readRowGroup(bytes) as typeof rowGroup
    assert.deepStrictEqual(read, rowGroup)
    for (const { array } of read.columns) assert.strictEqual(array.buffer, bytes.buffer)
    assert.strictEqual(read.part.buffer, bytes.buffer)
  })

  it("is read from bytes at any place of a buffer", () => {
    const bytes = writeRowGroup(rowGroup)
    for (const offset of [1, 4, 7, 8]) {
      const buffer = new ArrayBuffer(offset + bytes.length)
      const moved = new Uint8Array(buffer, offset)
      moved.set(bytes)
      assert.deepStrictEqual(readRowGroup(moved), rowGroup)
    }
  })

  it("refuses an array of another type", () => {
    assert.throws(
      () => writeRowGroup({ column: new Int32Array(1) }),
      "A row group cannot hold a Int32Array"
    )
  })
})
