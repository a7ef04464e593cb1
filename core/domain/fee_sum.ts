/*
 * Sums of fees over all batches are stored, and their differences give the sums of a window. With
 * doubles, one huge fee would make the small ones after it disappear, so the sums are integers in
 * units of 2^-80 US dollars: every fee of 4e-9 or more is exact.
 */

const unitsPerUSD = 2 ** 80
const wholeMin = 2 ** 53

/** Returns US dollars in units of 2^-80; a fee below 4e-9 is rounded to the nearest unit. */
export const feeSumUnits = (feeUSD: number): bigint =>
  feeUSD < wholeMin ? BigInt(Math.round(feeUSD * unitsPerUSD)) : BigInt(feeUSD) << 80n

/**
 * Returns a sum of units as US dollars, rounded to the nearest double. A sum above 2^53 dollars is
 * truncated to whole dollars first.
 */
export const usdOfFeeSum = (units: bigint): number => {
  const whole = units >> 80n
  return whole < wholeMin ? Number(units) / unitsPerUSD : Number(whole)
}
