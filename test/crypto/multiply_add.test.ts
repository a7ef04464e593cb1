import { assert, describe, it } from "@effect/vitest"
import { mulAddUnsafe } from "@noble/curves/abstract/curve.js"
import { babyjubjub } from "@noble/curves/misc.js"
import { isNeutral, multiplyAdd, pointTable } from "../../adapters/crypto/_multiply_add.ts"
import { shortScalars } from "../../adapters/crypto/_short_scalars.ts"
import { squareRoot } from "../../adapters/crypto/_square_root.ts"
import { unsigned } from "../encoding/_arbitrary.ts"

const { Point } = babyjubjub
const { Fn, Fp } = Point

describe("The arithmetic of verification", () => {
  it.prop(
    "a sum of multiples is the one that the library computes, whatever the widths and signs",
    { a: unsigned(251), b: unsigned(251), c: unsigned(127), seed: unsigned(200) },
    ({ a, b, c, seed }) => {
      const [p, q, r] = [Point.BASE, Point.BASE.multiply(seed + 1n), Point.BASE.multiply(seed + 2n)]
      const [x, y] = [Fn.create(a), Fn.create(b)]
      const sum = multiplyAdd([[pointTable(p, 8), x], [pointTable(q, 5), -y], [pointTable(r, 4), c]])
      const expected = mulAddUnsafe(Point, [p, q.negate(), r], [x, y, c])
      const [z, inverse] = [Fp.create(sum.Z), Fp.inv(Fp.create(sum.Z))]
      assert.notStrictEqual(z, 0n)
      assert.deepStrictEqual({ x: Fp.mul(Fp.create(sum.X), inverse), y: Fp.mul(Fp.create(sum.Y), inverse) }, expected.toAffine())
      const nothing = multiplyAdd([[pointTable(p, 8), x], [pointTable(q, 5), -y], [pointTable(r, 4), c], [pointTable(expected, 4), -1n]])
      assert.isTrue(isNeutral(nothing))
      assert.strictEqual(isNeutral(sum), expected.is0())
    },
    { arbitrary: { runs: 30 } }
  )

  it("the neutral point and the point of order two are told apart", () => {
    const two = Point.fromAffine({ x: 0n, y: Fp.ORDER - 1n })
    assert.isFalse(isNeutral(multiplyAdd([[pointTable(two, 4), 3n]])))
    assert.isTrue(isNeutral(multiplyAdd([[pointTable(two, 4), -2n]])))
    assert.isTrue(isNeutral(multiplyAdd([[pointTable(Point.ZERO, 4), 5n]])))
    assert.isTrue(isNeutral(multiplyAdd([])))
  })

  it.prop("short scalars stand for the scalar, with an odd multiplier", { value: unsigned(251) }, ({ value }) => {
    const scalar = Fn.create(value)
    const { multiplier, short } = shortScalars(scalar, Fn.ORDER)
    assert.strictEqual(Fn.create(short), Fn.mul(multiplier, scalar))
    assert.isTrue(multiplier > 0n && multiplier < Fn.ORDER && multiplier % 2n === 1n)
  })

  it("short scalars never stand for nothing, not even those of the inverse of an even number", () => {
    const half = Fn.inv(2n)
    for (const scalar of [0n, 1n, 2n, Fn.ORDER - 1n, half, Fn.neg(half), Fn.inv(6n), Fn.inv(1n << 100n), Fn.inv((1n << 125n) + 2n)]) {
      const { multiplier, short } = shortScalars(scalar, Fn.ORDER)
      assert.strictEqual(Fn.create(short), Fn.mul(multiplier, scalar))
      assert.isTrue(multiplier > 0n && multiplier < Fn.ORDER && multiplier % 2n === 1n)
    }
  })

  it.prop("an element has a square root exactly when it is a square", { value: unsigned(253) }, ({ value }) => {
    const square = Fp.create(value * value)
    const root = squareRoot(square)
    assert.isTrue(root !== undefined && Fp.sqr(root) === square)
    // five is no square
    if (square !== 0n) assert.isUndefined(squareRoot(Fp.mul(square, 5n)))
  })
})
