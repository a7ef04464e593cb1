/**
 * Returns the double nearest to `numerator / denominator * 2 ** exponent`, ties to even. The
 * numerator is from 0 on and the denominator above 0. Infinity if the numerator has 1,024 bits.
 */
export function nearestDouble(numerator: bigint, denominator: bigint, exponent: number): number {
  if (numerator === 0n) return 0
  if (Number(numerator) === Infinity) return Infinity
  // about 64 bits of the quotient, at least 53 and two more, or down to the smallest double
  const shift = Math.min(64 - bitsOf(numerator) + bitsOf(denominator), SUBNORMAL_BITS + exponent)
  const places = shift + 2
  const shifted = places > 0 ? numerator << BigInt(places) : numerator
  const divisor = places > 0 ? denominator : denominator << BigInt(-places)
  const truncated = shifted / divisor
  // the last bit also says whether anything is left, so that a tie is exact
  const quotient = truncated * divisor === shifted ? truncated : truncated | 1n
  const scale = 2 ** (exponent - shift)
  return quotient < ROUNDED_BY_NUMBER
    ? Number((quotient + 1n + ((quotient >> 2n) & 1n)) >> 2n) * scale
    : Number(quotient) / 4 * scale
}

/** Returns a double from 0 on as an integer times a power of two. */
export function binaryParts(
  double: number
): { readonly integer: bigint; readonly exponent: number } {
  view.setFloat64(0, double)
  const bits = view.getBigUint64(0)
  const exponent = Number(bits >> FRACTION_BITS)
  const fraction = bits & ((1n << FRACTION_BITS) - 1n)
  return exponent === 0
    ? { integer: fraction, exponent: -SUBNORMAL_BITS }
    : { integer: fraction | (1n << FRACTION_BITS), exponent: exponent - SUBNORMAL_BITS - 1 }
}

const view = new DataView(new ArrayBuffer(8))
/** Bits of the fraction of a double. */
const FRACTION_BITS = 52n
/** The smallest double is 2^-1074. */
const SUBNORMAL_BITS = 1074
/** From here on, `Number` rounds a quotient with two additional bits to 53 bits. */
const ROUNDED_BY_NUMBER = 1n << 55n

/** Returns the number of bits, or one more or less. */
const bitsOf = (value: bigint): number => Math.ceil(Math.log2(Number(value)))
