/** A token as its contract describes it, with its first price. */
export interface CatalogueToken {
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  /** US dollars; null if no exchange trades it. */
  readonly priceUSD: number | null
}

export const ether: CatalogueToken = {
  name: "Ether",
  symbol: "ETH",
  decimals: 18,
  priceUSD: 3120.5
}

/**
 * The tokens in the order of registration. Contracts choose any name, so some names are unusual.
 */
export const tokenCatalogue: ReadonlyArray<CatalogueToken> = [
  { name: "Governance Token", symbol: "GOV", decimals: 18, priceUSD: 4.31 },
  { name: "Tether USD", symbol: "USDT", decimals: 6, priceUSD: 1 },
  { name: "Wrapped BTC", symbol: "WBTC", decimals: 8, priceUSD: 64250.75 },
  { name: "Eintrittskarte", symbol: "KARTE", decimals: 0, priceUSD: null },
  { name: "Dai Stablecoin", symbol: "DAI", decimals: 18, priceUSD: 0.9993 },
  { name: "Ünïcödé – 点 🦊", symbol: "点", decimals: 12, priceUSD: 0.0000421 },
  { name: '100%_"Quoted" \\ \'it', symbol: "A-B.C", decimals: 18, priceUSD: null },
  { name: "ERC20_ETH_ERROR", symbol: "ERROR", decimals: 1, priceUSD: null },
  { name: "Gemini dollar", symbol: "GUSD", decimals: 2, priceUSD: 0.998 },
  { name: "tether usd", symbol: "USDT", decimals: 24, priceUSD: 1.01 }
]
