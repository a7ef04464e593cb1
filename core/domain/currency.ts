import { Schema } from "effect"
import { currencyCode, positive, ruleOf, timeMs } from "./values.ts"

const fields = { currency: currencyCode, unitsPerUSD: positive, timeMs }

/**
 * The schema of the price of a currency: its code, the number of its units that one US dollar buys,
 * and the time of this price in milliseconds since 1970.
 *
 * @example
 * ```ts
 * import { Schema } from "effect"
 * import { CurrencyPrice } from "rollup-node-api"
 *
 * // one US dollar is 0.84 euros
 * const euro = { currency: "EUR", unitsPerUSD: 0.84, timeMs: Date.UTC(2021, 5, 1) }
 * console.log(Schema.is(CurrencyPrice)(euro)) // => true
 * console.log(Schema.is(CurrencyPrice)({ ...euro, unitsPerUSD: 0 })) // => false
 * ```
 */
export const CurrencyPrice = Schema.Struct(fields).annotate({
  expected: `an object of ${Object.keys(fields).join(", ")}`
})
export type CurrencyPrice = typeof CurrencyPrice.Type

/**
 * The schema of the prices of several currencies, each of them once.
 *
 * @example
 * ```ts
 * import { Schema } from "effect"
 * import { CurrencyPriceList } from "rollup-node-api"
 *
 * const euro = { currency: "EUR", unitsPerUSD: 0.84, timeMs: Date.UTC(2021, 5, 1) }
 * console.log(Schema.is(CurrencyPriceList)([euro])) // => true
 * console.log(Schema.is(CurrencyPriceList)([euro, euro])) // => false
 * ```
 */
export const CurrencyPriceList: Schema.Codec<ReadonlyArray<CurrencyPrice>> = Schema.Array(
  CurrencyPrice
).check(
  Schema.makeFilter(
    (prices: ReadonlyArray<CurrencyPrice>) =>
      new Set(prices.map(({ currency }) => currency)).size === prices.length,
    { expected: `an array, each ${ruleOf(CurrencyPrice)}, with each currency once` }
  )
)
