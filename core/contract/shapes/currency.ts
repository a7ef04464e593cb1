import type { CurrencyPrice } from "../../domain/mod.ts"
import { baseCurrency, currencyCode, dateTime, number } from "../scalars/mod.ts"
import { documented, named, object, shape } from "../objects/mod.ts"

export const currency = shape(
  object("Currency", "The price of a currency", {
    currency: currencyCode,
    baseCurrency: documented(baseCurrency, "Always the US dollar"),
    unitsPerUSD: named(
      "price",
      number,
      "Units of the currency that one US dollar buys: 0.84 euros, for example"
    ),
    timeMs: named("lastUpdate", dateTime, "Time of this price")
  }),
  (price: CurrencyPrice) => ({ ...price, baseCurrency: "USD" as const })
)
