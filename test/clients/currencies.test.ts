/* The prices of currencies of revision v1, as the published wallets ask for them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { rollupClient, valueOf } from "../../adapters/client/mod.ts"
import { fetchHandler } from "../../adapters/http/mod.ts"
import { memoryNode } from "../_memory_node.ts"
import type { CurrencyPrice } from "../../core/domain/mod.ts"
import { CurrencyPrices } from "../../core/ports/mod.ts"
import { faultsOf, jsonOf, send } from "../submission/_post.ts"
import { genesis } from "../use_cases/_network.ts"
import { errorOf, shownAt } from "./_recorded.ts"

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
  it.effect("are listed by code, as units that one US dollar buys", () =>
    Effect.gen(function*() {
      const common = { baseCurrency: "USD", lastUpdate: "2021-06-01T12:00:00.000Z" }
      assert.deepStrictEqual(yield* shownAt("/v1/currencies"), {
        currencies: [
          { currency: "CNY", price: 6.446304, ...common },
          { currency: "EUR", price: 0.837775, ...common },
          { currency: "JPY", price: 110.253954, ...common }
        ]
      })
      assert.deepStrictEqual(yield* shownAt("/v1/currencies/EUR"), {
        currency: "EUR",
        price: 0.837775,
        ...common
      })
    }).pipe(Effect.provide(node)))

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

  it.effect("are refused with the rule if a parameter is wrong", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [path: string, rule: RegExp]> = [
        ["?base=EUR", /^one of USD$/u],
        ["?symbols=eur", /each three capital letters, such as EUR; found "eur"/u],
        ["?symbols=EUR&symbols=eur&base=x", /^one of USD$/u],
        ["/eur", /^three capital letters, such as EUR$/u]
      ]
      for (const [path, rule] of cases) {
        const answer = yield* send(`/v1/currencies${path}`)
        assert.deepStrictEqual(errorOf(answer), [400, 1, "ErrParamValidationFailed"], path)
        assert.match(faultsOf(answer)[0]!.rule, rule)
      }
    }).pipe(Effect.provide(node)))

  it.effect("are unknown one by one with the published error", () =>
    Effect.gen(function*() {
      const answer = yield* send("/v1/currencies/GBP")
      assert.deepStrictEqual(errorOf(answer), [404, 4, "ErrSQLNoRows"])
      const { message } = jsonOf(answer)
      assert.strictEqual(message, "There is no price of a currency with symbol GBP")
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
