import * as Result from "effect/Result"
import { FEE_TABLE_LOW } from "./_fee_table.ts"
import { EncodingError } from "./encoding_error.ts"

/** The fee of a transaction as a share of its amount: an index into a table, 0..255. */
export type FeeSelector = number

/** The greatest fee selector, 255. */
export const FEE_SELECTOR_MAX: FeeSelector = 255

/**
 * Returns the fee in units of the token, rounded down. Fails if the selector is not in 0..255, if
 * the amount is negative, or if the fee has more than 128 bits.
 *
 * It uses a table of integers instead of the formula, since signers reproduce the limited precision
 * of the original computation bit by bit.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { feeAmount, feeFactor, selectFee } from "rollup-node-api"
 *
 * const selector = selectFee(100n, 10_000n)
 * console.log(selector, Result.getOrThrow(feeAmount(10_000n, selector))) // => 60 103n
 * console.log(feeFactor(selector)) // => 0.01030866
 * console.log(Result.isFailure(feeAmount(-1n, selector))) // => true
 * ```
 */
export function feeAmount(
  amount: bigint,
  selector: FeeSelector
): Result.Result<bigint, EncodingError> {
  if (!isFeeSelector(selector)) {
    return Result.fail(
      new EncodingError(String(selector), `a fee selector from 0 to ${FEE_SELECTOR_MAX}`)
    )
  }
  if (amount < 0n) {
    return Result.fail(new EncodingError(String(amount), "an amount that is not negative"))
  }
  const fee = feeOf(amount, selector)
  return fee < FEE_LIMIT
    ? Result.succeed(fee)
    : Result.fail(
      new EncodingError(
        String(amount),
        `an amount whose fee by selector ${selector} fits in 128 bits`
      )
    )
}

/**
 * Returns the fee as a share of the amount, rounded to 7 significant digits, for values in US
 * dollars. Throws a RangeError if the selector is not in 0..255.
 *
 * @example
 * ```ts
 * import { feeFactor } from "rollup-node-api"
 *
 * console.log(feeFactor(0), feeFactor(60), feeFactor(192)) // => 0 0.01030866 1
 * ```
 */
export function feeFactor(selector: FeeSelector): number {
  const factor = FACTORS[selector]
  if (factor === undefined) {
    throw new RangeError(`Fee selector ${selector}, expected 0..${FEE_SELECTOR_MAX}`)
  }
  return factor
}

/**
 * Returns the smallest selector whose fee on the amount is at least `wantedFee`, as existing
 * wallets select it: 0 if the fee or the amount is 0, and 255 if no selector reaches the fee.
 *
 * @example
 * ```ts
 * import { selectFee } from "rollup-node-api"
 *
 * console.log(selectFee(100n, 10_000n), selectFee(0n, 10_000n)) // => 60 0
 * ```
 */
export function selectFee(wantedFee: bigint, amount: bigint): FeeSelector {
  if (wantedFee <= 0n || amount <= 0n) return 0
  let tooLow = 0
  let enough = FEE_SELECTOR_MAX
  while (enough - tooLow > 1) {
    const middle = (tooLow + enough) >> 1
    if (feeOf(amount, middle) < wantedFee) tooLow = middle
    else enough = middle
  }
  return enough
}

const FEE_LIMIT = 1n << 128n

const FACTORS = Float64Array.from(
  { length: FEE_SELECTOR_MAX + 1 },
  (_, selector) => Number(exactFactor(selector).toPrecision(7))
)

function isFeeSelector(selector: number): boolean {
  return Number.isInteger(selector) && selector >= 0 && selector <= FEE_SELECTOR_MAX
}

function feeOf(amount: bigint, selector: FeeSelector): bigint {
  const low = FEE_TABLE_LOW[selector]
  return low === undefined
    ? amount << BigInt(selector - FEE_TABLE_LOW.length)
    : (amount * low) >> 60n
}

function exactFactor(selector: FeeSelector): number {
  if (selector === 0) return 0
  if (selector < 32) return 2 ** (-60 + (selector * 52) / 32)
  if (selector < 192) return 2 ** (-8 + ((selector - 32) * 8) / 160)
  return 2 ** (selector - 192)
}
