/**
 * Scalars of about half the width for the same equation: `multiplier` is odd, 0 < multiplier < order, and
 * short ≡ multiplier · scalar modulo the order; `short` may be negative.
 *
 * A point of a group of `order` times a power of two is neutral exactly when its multiple by an odd number below the order is, so that
 * an equation multiplied by `multiplier` holds exactly when it held before (Antipa and others, Accelerated verification of ECDSA
 * signatures, 2005), and what is left to double is half as wide.
 */
export function shortScalars(scalar: bigint, order: bigint): { readonly short: bigint; readonly multiplier: bigint } {
  const half = 1n << BigInt(order.toString(2).length >> 1)
  let [remainder, next] = [order, scalar]
  let [factor, nextFactor] = [0n, 1n]
  // neighbouring factors are coprime, so the one before or the one after is odd
  while (next >= half || nextFactor % 2n === 0n) {
    const quotient = remainder / next
    ;[remainder, next] = [next, remainder - quotient * next]
    ;[factor, nextFactor] = [nextFactor, factor - quotient * nextFactor]
    // The inverse of a small even number has no such pair: here the factor is the order, by which every equation holds
    if (next === 0n) return { short: scalar, multiplier: 1n }
  }
  return nextFactor > 0n ? { short: next, multiplier: nextFactor } : { short: -next, multiplier: -nextFactor }
}
