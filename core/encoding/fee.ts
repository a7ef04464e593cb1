import * as Result from "effect/Result"
import { FEE_TABLE_LOW } from "./_fee_table.ts"
import { EncodingError } from "./encoding_error.ts"

/** The number, 0..255, by which a transaction names its fee as a share of its amount. */
export type FeeSelector = number

/** The highest fee selector. */
export const FEE_SELECTOR_MAX: FeeSelector = 255

/**
 * The fee in token units, rounded down; fails on a selector outside 0..255, on a negative amount and on a fee of more than 128 bits.
 *
 * The table is fixed integers, not the formula: its entries come from a computation of limited precision that signers reproduce bit by bit.
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

/** The fee as a share of the amount, rounded to 7 significant digits, as USD values use it; throws a RangeError outside 0..255. */
export function feeFactor(selector: FeeSelector): number {
  const factor = FACTORS[selector]
  if (factor === undefined) {
    throw new RangeError(`Fee selector ${selector}, expected 0..${FEE_SELECTOR_MAX}`)
  }
  return factor
}

/**
 * The smallest selector whose fee on the amount is at least the wanted one, as the published clients pick it: 0 when fee or amount
 * is 0, and 255 when no selector reaches the fee.
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
