import * as Result from "effect/Result"
import {
  decodeFloat40,
  FEE_SELECTOR_MAX,
  feeFactor,
  type FeeSelector,
  floorFloat40
} from "../../core/encoding/mod.ts"

/**
 * Returns the units of an amount in whole tokens, a decimal number such as `0.25`; undefined if it
 * is no such number or has more decimals than the token.
 *
 * ```ts
 * import { unitsOf } from "rollup-node-api/wallet"
 *
 * console.log(unitsOf("0.25", 18), unitsOf("0.25", 1)) // => 250000000000000000n undefined
 * ```
 */
export function unitsOf(amount: string, decimals: number): bigint | undefined {
  const [, whole, fraction = ""] = /^(\d{1,78})(?:\.(\d+))?$/u.exec(amount) ?? []
  return whole === undefined || fraction.length > decimals
    ? undefined
    : BigInt(whole + fraction.padEnd(decimals, "0"))
}

/**
 * Returns the greatest amount of at most `units` that a transaction can contain: 35 significant bits
 * times a power of ten. Throws a RangeError if the amount is negative or above 3.4·10^41.
 *
 * ```ts
 * import { floorAmount } from "rollup-node-api/wallet"
 *
 * console.log(floorAmount(1_157_073_197_879_933_027n)) // => 1157073197800000000n
 * ```
 */
export function floorAmount(units: bigint): bigint {
  const float = floorFloat40(units)
  if (Result.isSuccess(float)) return decodeFloat40(float.success)
  throw new RangeError(float.failure.message)
}

/**
 * Returns the lowest fee selector above 0 whose fee is worth at least `wantedUSD` US dollars; 1 if
 * the amount is worth nothing, and 255 if no fee reaches it.
 */
export function feeWorth(wantedUSD: number, amountUSD: number): FeeSelector {
  for (let selector = 1; selector < FEE_SELECTOR_MAX; selector++) {
    if (amountUSD === 0 || amountUSD * feeFactor(selector) >= wantedUSD) return selector
  }
  return FEE_SELECTOR_MAX
}
