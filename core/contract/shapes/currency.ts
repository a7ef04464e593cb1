import type { CurrencyPrice } from "../../domain/mod.ts"
import { baseCurrency, currencyCode, dateTime, number } from "../scalars/mod.ts"
import { field, shape } from "../wire_type.ts"

export const currency = shape<CurrencyPrice>("Currency", "The price of a currency", {
  currency: field(currencyCode, (price) => price.currency),
  baseCurrency: field(baseCurrency, () => "USD" as const, "Always the US dollar"),
  price: field(
    number,
    (price) => price.unitsPerUSD,
    "Units of the currency that one US dollar buys: 0.84 euros, for example"
  ),
  lastUpdate: field(dateTime, (price) => price.timeMs, "Time of this price")
})
