/*
 * The prices of currencies of revision v1, as the published wallets ask for them. The golden files
 * show the answers and the refusals.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { rollupClient, valueOf } from "../../adapters/client/mod.ts"
import { fetchHandler } from "../../adapters/http/mod.ts"
import { memoryNode } from "../_memory_node.ts"
import type { CurrencyPrice } from "../../core/domain/mod.ts"
import { CurrencyPrices } from "../../core/ports/mod.ts"
import { send } from "../submission/_post.ts"
import { genesis } from "../use_cases/_network.ts"
import { shownAt } from "./_recorded.ts"

const timeMs = Date.UTC(2021, 5, 1, 12)
const prices: ReadonlyArray<CurrencyPrice> = [
  { currency: "JPY", unitsPerUSD: 110.253954, timeMs },
  { currency: "EUR", unitsPerUSD: 0.837775, timeMs },
  { currency: "CNY", unitsPerUSD: 6.446304, timeMs }
]
const nodeWith = (current: () => ReadonlyArray<CurrencyPrice>) =>
  Layer.provideMerge(
    memoryNode({ genesis }),
    Layer.succeed(CurrencyPrices, { current: Effect.sync(current) })
  )
const node = nodeWith(() => prices)

const codes = (path: string) =>
  Effect.map(
    shownAt(path),
    ({ currencies }) => (currencies as ReadonlyArray<CurrencyPrice>).map(({ currency }) => currency)
  )

describe("the prices of currencies", () => {
  it.effect("are selected as the published wallet does, with bars, and leave out unknown ones", () =>
    Effect.gen(function*() {
      const [all, some] = [["CNY", "EUR", "JPY"], ["EUR", "JPY"]]
      const cases = [
        ["?base=USD&symbols=EUR%7CCNY%7CJPY%7CGBP", all],
        ["?symbols=JPY,EUR|EUR", some],
        ["?symbols=GBP", []],
        ["?symbols=", all]
      ] as const
      for (const [query, expected] of cases) {
        assert.deepStrictEqual(yield* codes(`/v1/currencies${query}`), expected, query)
      }
      const preflight = yield* send("/v1/currencies", {
        method: "OPTIONS",
        headers: {
          origin: "http://wallet",
          "access-control-request-method": "GET",
          "access-control-request-headers": "x-api-key"
        }
      })
      assert.match(preflight.headers.get("access-control-allow-headers")!, /^\*/u)
    }).pipe(Effect.provide(node)))

  it.effect("are none by default, and only revision v1 has them", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* codes("/v1/currencies"), [])
      assert.strictEqual((yield* send("/v1/currencies/EUR")).status, 404)
      for (const path of ["/currencies", "/earlier/currencies/EUR"]) {
        const answer = yield* send(path)
        assert.include(answer.text, "unknown-path")
      }
    }).pipe(Effect.provide(memoryNode({ genesis }))))

  it.effect("are current in every answer, and an unchanged answer is a 304", () => {
    let current = prices
    return Effect.gen(function*() {
      const first = yield* send("/v1/currencies")
      const conditional = { headers: { "if-none-match": first.headers.get("etag")! } }
      assert.strictEqual((yield* send("/v1/currencies", conditional)).status, 304)
      current = prices.slice(0, 1)
      const second = yield* send("/v1/currencies", conditional)
      assert.strictEqual(second.status, 200)
      assert.deepStrictEqual(yield* codes("/v1/currencies"), ["JPY"])
      assert.strictEqual((yield* send("/v1/currencies/EUR")).status, 404)
    }).pipe(Effect.provide(nodeWith(() => current)))
  })

  it.effect("are functions of the typed client", () =>
    Effect.gen(function*() {
      const fetch = yield* fetchHandler
      yield* Effect.promise(async () => {
        const client = rollupClient({ url: "http://node/v1", revision: "v1", fetch })
        const { currencies } = valueOf(
          await client.getCurrencies({ base: "USD", symbols: ["EUR", "CNY"] })
        )
        assert.deepStrictEqual(currencies.map(({ price }) => price), [6.446304, 0.837775])
        assert.strictEqual(valueOf(await client.getCurrency({ symbol: "JPY" })).currency, "JPY")
        const unknown = await client.getCurrency({ symbol: "GBP" })
        assert(!unknown.ok && unknown._tag === "Refused" && unknown.name === "not-found")
      })
    }).pipe(Effect.provide(node)))
})
