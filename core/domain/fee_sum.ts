/*
 * Sums of fees are kept for all batches and subtracted to get those of a window. As doubles, one huge fee would swallow the
 * small ones after it for good, so they are whole numbers of 2^-80 US dollars: every fee from 4e-9 on is one exactly.
 */

const unitsPerUSD = 2 ** 80
const wholeMin = 2 ** 53

/** US dollars in units of 2^-80; a fee below 4e-9 is rounded to the nearest unit. */
export const feeSumUnits = (feeUSD: number): bigint =>
  feeUSD < wholeMin ? BigInt(Math.round(feeUSD * unitsPerUSD)) : BigInt(feeUSD) << 80n

/** The double that is nearest to the sum of such units; above 2^53 nearest to its whole dollars. */
export const usdOfFeeSum = (units: bigint): number => {
  const whole = units >> 80n
  return whole < wholeMin ? Number(units) / unitsPerUSD : Number(whole)
}
