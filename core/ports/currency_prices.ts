import { Context, Effect } from "effect"
import type { CurrencyPrice } from "../domain/mod.ts"

/** Port: how many units of each currency one US dollar buys. */
export interface CurrencyPrices {
  /** Returns the current prices, each currency once. Every request runs it. */
  readonly current: Effect.Effect<ReadonlyArray<CurrencyPrice>>
}

/**
 * The service with the prices of currencies that revision `v1` answers. None by default.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { CurrencyPrices } from "rollup-node-api"
 *
 * const prices = [{ currency: "EUR", unitsPerUSD: 0.84, timeMs: Date.UTC(2021, 5, 1) }]
 * const codes = Effect.flatMap(CurrencyPrices, ({ current }) => current).pipe(
 *   Effect.map((prices) => prices.map(({ currency }) => currency))
 * )
 * const provided = Effect.provideService(codes, CurrencyPrices, { current: Effect.succeed(prices) })
 * console.log(await Effect.runPromise(codes)) // => []
 * console.log(await Effect.runPromise(provided)) // => [ 'EUR' ]
 * ```
 */
export const CurrencyPrices = Context.Reference<CurrencyPrices>("rollup/core/CurrencyPrices", {
  defaultValue: () => ({ current: Effect.succeed([]) })
})
