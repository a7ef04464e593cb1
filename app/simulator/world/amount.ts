import { Result } from "effect"
import type { Token } from "../../../core/domain/mod.ts"
import { decodeFloat40, floorFloat40 } from "../../../core/encoding/mod.ts"
import type { Random } from "./random.ts"

/** Returns the amount, rounded down to a value that a transaction can encode. */
export function floorAmount(amount: bigint): bigint {
  return decodeFloat40(Result.getOrThrow(floorFloat40(amount)))
}

/**
 * Returns 1 to `sharesMax` 4096ths of a balance, rounded down to a value that a transaction can
 * encode.
 */
export function randomShare(random: Random, balance: bigint, sharesMax: number): bigint {
  return floorAmount((balance * BigInt(random.integer(1, sharesMax))) >> 12n)
}

/**
 * Returns the amount of a deposit: 1 to 1000 whole tokens, small amounts more often. Divides it by
 * 1000 if the token costs more than 500 US dollars. A token with less than 3 decimals gets 100 to
 * 99900 units.
 */
export function depositAmount(
  random: Random,
  { decimals, priceUSD }: Pick<Token, "decimals" | "priceUSD">
): bigint {
  const hundredths = BigInt(random.integer(100, 999) * random.oneOf([1, 1, 10, 10, 100]))
  const digits = decimals - 2 - ((priceUSD ?? 0) > 500 ? 3 : 0)
  return digits > 0 ? hundredths * 10n ** BigInt(digits) : hundredths
}
