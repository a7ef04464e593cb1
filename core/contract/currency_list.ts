import type { ListDeclaration } from "./list.ts"

/** The list of the prices of currencies, which always is one page. */
export const currencyList = {
  itemsProperty: "currencies",
  title: "Currencies",
  order: "currency code",
  filters: {
    symbols: {
      scalar: "currencyCodes",
      match: "oneOf",
      parameter: "symbols",
      doc:
        "Only these currencies: codes separated by commas or bars; those without a price are left out"
    },
    base: {
      scalar: "baseCurrency",
      match: "equal",
      parameter: "base",
      doc: "The currency of the prices, which is always the US dollar"
    }
  },
  exclusions: [],
  atLeastOne: [],
  ordered: [],
  isPaged: false
} as const satisfies ListDeclaration

/** The filters of the list of currencies, each absent or a domain value. */
export interface CurrencyQuery {
  readonly filters: { readonly symbols?: ReadonlyArray<string>; readonly base?: "USD" }
}
