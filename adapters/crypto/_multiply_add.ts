import { babyjubjub } from "@noble/curves/misc.js"

/*
 * Sums of multiples of points of BabyJubJub, for public input only: its time depends on it.
 *
 * The library has the same sum, with tables of four points that it makes anew for each. Kept tables of the base point and of the keys, and
 * formulas that reduce a product only where it grows, take two thirds of the time, which is half of a verification apart from its hashes.
 */

/** x = X/Z, y = Y/Z, x·y = T/Z; reduced, of either sign. */
export interface ExtendedPoint {
  readonly X: bigint
  readonly Y: bigint
  readonly Z: bigint
  readonly T: bigint
}

/** The odd multiples of a point, up to 2^(window − 1) − 1, in the form in which they are added. */
export interface PointTable {
  readonly window: number
  readonly odd: ReadonlyArray<Addend>
}

/** 2^(window − 2) multiples of a point. */
export function pointTable(point: ExtendedPoint, window: number): PointTable {
  const twice = addend(double(point, true))
  const odd = [addend(point)]
  for (let sum = point; odd.length < 2 ** (window - 2); odd.push(addend(sum))) sum = add(sum, twice, 1n)
  return { window, odd }
}

/** The sum of the multiples; the scalars may be negative. One chain of doublings serves all, as long as the longest scalar. */
export function multiplyAdd(terms: ReadonlyArray<readonly [table: PointTable, scalar: bigint]>): ExtendedPoint {
  const steps: Array<Array<readonly [addend: Addend, sign: bigint]>> = []
  for (const [{ odd, window }, scalar] of terms) {
    for (const [bit, digit] of signedDigits(scalar, window)) {
      while (steps.length <= bit) steps.push([])
      steps[bit]!.push([odd[Math.abs(digit) >> 1]!, digit < 0 ? -1n : 1n])
    }
  }
  let sum = NEUTRAL
  for (let bit = steps.length - 1; bit >= 0; bit--) {
    const additions = steps[bit]!
    sum = double(sum, additions.length > 0)
    for (const [addend, sign] of additions) sum = add(sum, addend, sign)
  }
  return sum
}

export function isNeutral({ X, Y, Z }: ExtendedPoint): boolean {
  return X % P === 0n && (Y - Z) % P === 0n
}

const { Point } = babyjubjub
const P = Point.Fp.ORDER
const { a, d } = Point.CURVE()
const NEUTRAL: ExtendedPoint = { X: 0n, Y: 1n, Z: 1n, T: 0n }

/** A point with d·T instead of T. */
interface Addend extends Omit<ExtendedPoint, "T"> {
  readonly dT: bigint
}

function addend({ T, X, Y, Z }: ExtendedPoint): Addend {
  return { X, Y, Z, dT: (d * T) % P }
}

/** dbl-2008-hwcd of the Explicit-Formulas Database. T is needed for an addition only, so that most doublings do without. */
function double({ X, Y, Z }: ExtendedPoint, withT: boolean): ExtendedPoint {
  const ySquared = Y * Y
  const axSquared = a * X * X
  const e = (2n * X * Y) % P
  const g = (axSquared + ySquared) % P
  const f = (g - 2n * Z * Z) % P
  const h = (axSquared - ySquared) % P
  return { X: (e * f) % P, Y: (g * h) % P, Z: (f * g) % P, T: withT ? (e * h) % P : 0n }
}

/** add-2008-hwcd, of a point or its opposite; complete, since a is a square of the field and d is none. */
function add(point: ExtendedPoint, addend: Addend, sign: bigint): ExtendedPoint {
  const otherX = sign * addend.X
  const x = point.X * otherX
  const y = point.Y * addend.Y
  const dt = sign * point.T * addend.dT
  const z = point.Z * addend.Z
  const e = ((point.X + point.Y) * (otherX + addend.Y) - x - y) % P
  const f = (z - dt) % P
  const g = (z + dt) % P
  const h = (y - a * x) % P
  return { X: (e * f) % P, Y: (g * h) % P, Z: (f * g) % P, T: (e * h) % P }
}

/** The digits other than 0 of the non-adjacent form: odd, below 2^(window − 1), at most one in `window` neighbouring bits. */
function signedDigits(scalar: bigint, window: number): ReadonlyArray<readonly [bit: number, digit: number]> {
  const digits: Array<readonly [number, number]> = []
  const size = 2 ** window
  let rest = scalar < 0n ? -scalar : scalar
  for (let bit = 0; rest > 0n; bit++, rest >>= 1n) {
    if ((rest & 1n) === 0n) continue
    const low = Number(BigInt.asUintN(window, rest))
    const digit = low < size / 2 ? low : low - size
    rest -= BigInt(digit)
    digits.push([bit, scalar < 0n ? -digit : digit])
  }
  return digits
}
