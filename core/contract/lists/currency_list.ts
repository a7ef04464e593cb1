import type { CurrencyPrice } from "../../domain/mod.ts"
import type { FilterValues, ListDeclaration } from "./filter.ts"

/** The list of the prices of currencies, which always is one page. */
export const currencyList = {
  itemsProperty: "currencies",
  title: "Currencies",
  order: "currency code",
  filters: {
    symbols: {
      scalar: "currencyCodes",
      match: "oneOf",
      compared: [({ currency }) => currency],
      parameter: "symbols",
      doc:
        "Only these currencies: codes separated by commas or bars; those without a price are left out"
    },
    base: {
      scalar: "baseCurrency",
      match: "equal",
      compared: [() => "USD"],
      parameter: "base",
      doc: "The currency of the prices, which is always the US dollar"
    }
  },
  exclusions: [],
  isPaged: false
} as const satisfies ListDeclaration<CurrencyPrice>

/** The filters of the list of currencies, each absent or a domain value. */
export interface CurrencyQuery {
  readonly filters: FilterValues<typeof currencyList>
}
