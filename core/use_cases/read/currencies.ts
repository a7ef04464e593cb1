import { Effect } from "effect"
import { currencyList, type CurrencyQuery, rowFilter } from "../../contract/mod.ts"
import type { CurrencyPrice } from "../../domain/mod.ts"
import type { CurrencyPrices } from "../../ports/mod.ts"

/** Returns the prices of the currencies that a query selects, by code. */
export const listCurrencies = (
  { current }: CurrencyPrices,
  { filters }: CurrencyQuery
): Effect.Effect<ReadonlyArray<CurrencyPrice>> =>
  Effect.map(current, (prices) =>
    prices
      .filter(rowFilter(currencyList, filters))
      .sort((a, b) => a.currency < b.currency ? -1 : 1))

/** Returns the price of a currency, or undefined if it is unknown. */
export const currencyOf = (
  { current }: CurrencyPrices,
  code: string
): Effect.Effect<CurrencyPrice | undefined> =>
  Effect.map(current, (prices) => prices.find(({ currency }) => currency === code))
