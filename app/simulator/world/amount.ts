import { Result } from "effect"
import type { Token } from "../../../core/domain/mod.ts"
import { decodeFloat40, floorFloat40 } from "../../../core/encoding/mod.ts"
import type { Random } from "./random.ts"

/** The highest amount that transactions can carry and that is not above the given one. */
export function floorAmount(amount: bigint): bigint {
  return decodeFloat40(Result.getOrThrow(floorFloat40(amount)))
}

/** Between one 4096th and `most` 4096ths of a balance, such that a transaction can carry it. */
export function randomShare(random: Random, balance: bigint, most: number): bigint {
  return floorAmount((balance * BigInt(random.integer(1, most))) >> 12n)
}

/**
 * What somebody brings in: one to a thousand whole tokens, small sums more often, and a thousandth of that where a token is dear. Of a
 * token with few decimals, whole numbers.
 */
export function depositAmount(
  random: Random,
  { decimals, priceUSD }: Pick<Token, "decimals" | "priceUSD">
): bigint {
  const hundredths = BigInt(random.integer(100, 999) * random.oneOf([1, 1, 10, 10, 100]))
  const digits = decimals - 2 - ((priceUSD ?? 0) > 500 ? 3 : 0)
  return digits > 0 ? hundredths * 10n ** BigInt(digits) : hundredths
}
