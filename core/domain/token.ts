import { type EthereumAddress, ZERO_ADDRESS } from "../encoding/mod.ts"
import { binaryParts, nearestDouble } from "./_nearest_double.ts"

/** 0..2^32 − 1. Token 0 is always ether. */
export type TokenId = number

/** A token registered in the rollup contract, with its price as last set. */
export interface Token {
  readonly itemId: number
  readonly id: TokenId
  readonly ethereumAddress: EthereumAddress
  readonly name: string
  readonly symbol: string
  /** Number of decimals: one whole token is 10^decimals units. */
  readonly decimals: number
  /** Block of the registration. */
  readonly ethereumBlockNum: bigint
  /** Price of one whole token in US dollars, at most `priceUSDMax`; null while unknown. */
  readonly priceUSD: number | null
  /** When the price was set, milliseconds since 1970; null while unknown. */
  readonly priceTimeMs: number | null
}

/** Token 0, the first item of every ledger. */
export const ether: Omit<Token, "itemId"> = {
  id: 0,
  ethereumAddress: ZERO_ADDRESS,
  name: "Ether",
  symbol: "ETH",
  decimals: 18,
  ethereumBlockNum: 0n,
  priceUSD: null,
  priceTimeMs: null
}

/**
 * Maximum price in US dollars. It bounds everything computed from amounts below 2^192, including
 * sums of fees over any number of batches, well within the numbers of JSON.
 */
export const priceUSDMax = 1e12

/**
 * Returns the value of an amount in US dollars: the double nearest to the exact quotient. Returns
 * null if the price is unknown or zero, if the amount is zero, or if the value is not finite.
 * PROTOCOL.md "Values in US dollars" says which price counts.
 *
 * @example
 * ```ts
 * import { valueUSD } from "rollup-node-api"
 *
 * console.log(valueUSD({ priceUSD: 2000, decimals: 6 }, 500_000n)) // => 1000
 * console.log(valueUSD({ priceUSD: null, decimals: 6 }, 5n)) // => null
 * ```
 */
export const valueUSD = (
  token: Pick<Token, "priceUSD" | "decimals">,
  amount: bigint
): number | null => {
  if (token.priceUSD === null || token.priceUSD === 0 || amount === 0n) return null
  const { exponent, integer } = binaryParts(token.priceUSD)
  const value = nearestDouble(amount * integer, powerOfTen(token.decimals), exponent)
  return Number.isFinite(value) ? value : null
}

const powersOfTen: Array<bigint> = []
const powerOfTen = (exponent: number): bigint => powersOfTen[exponent] ??= 10n ** BigInt(exponent)
