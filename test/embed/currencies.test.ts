import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Application } from "../../adapters/http/mod.ts"
import { nodeLayer } from "../../app/embed/effect.ts"
import { openNode, type RollupNode } from "../../app/embed/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { CurrencyPrices } from "../../core/mod.ts"
import { rejectionOf, untyped } from "./_network.ts"

const { genesis } = simulate({ seed: 1 })
const euro = { currency: "EUR", unitsPerUSD: 0.84, timeMs: 1_622_548_800_000 }
const list = async (node: RollupNode) =>
  (await (await node.fetch(new Request("http://node/v1/currencies"))).json() as {
    readonly currencies: ReadonlyArray<unknown>
  }).currencies
const shownEuro = {
  currency: "EUR",
  baseCurrency: "USD",
  price: 0.84,
  lastUpdate: "2021-06-01T12:00:00.000Z"
}

describe("the prices of currencies of an embedded node", () => {
  it("are an option, and are replaced as a whole", async () => {
    const given = [{ ...euro }]
    await using node = await openNode({ genesis, currencies: given })
    // the node has a copy
    given[0]!.unitsPerUSD = 7
    assert.deepStrictEqual(await list(node), [shownEuro])
    await node.setCurrencies([{ ...euro, currency: "CNY", unitsPerUSD: 6.5 }])
    assert.deepStrictEqual(await list(node), [{ ...shownEuro, currency: "CNY", price: 6.5 }])
    await node.setCurrencies([])
    assert.deepStrictEqual(await list(node), [])
  })

  it("are refused with every rule that they break, and stay as they are", async () => {
    await using node = await openNode({ genesis, currencies: [euro] })
    const cases: ReadonlyArray<readonly [input: unknown, paths: ReadonlyArray<string>]> = [
      [{}, [""]],
      [[{ ...euro, currency: "eur", unitsPerUSD: -1 }], ["/0/currency", "/0/unitsPerUSD"]],
      [[{ ...euro, timeMs: 0.5, base: "USD" }], ["/0/timeMs", "/0/base"]],
      [[euro, { ...euro, unitsPerUSD: 1 }], [""]]
    ]
    for (const [input, paths] of cases) {
      const { _tag, violations } = await rejectionOf(node.setCurrencies(untyped(input)))
      assert.strictEqual(_tag, "BadInput")
      assert.deepStrictEqual(violations.map(({ path }) => path).sort(), [...paths].sort())
    }
    assert.deepStrictEqual(await list(node), [shownEuro])
    const options = { genesis, currencies: [{ ...euro, unitsPerUSD: "0.84" }] }
    const { message } = await rejectionOf(openNode(untyped(options)))
    assert.include(message, "/currencies/0/unitsPerUSD")
  })

  it("cannot be set after the node was closed", async () => {
    const node = await openNode({ genesis })
    await node.close()
    assert.strictEqual((await rejectionOf(node.setCurrencies([euro])))._tag, "NodeClosed")
  })

  it.effect("are a service for hosts that use Effect", () =>
    Effect.gen(function*() {
      const application = yield* Application
      const { body } = yield* application.handle({
        method: "GET",
        url: "/v1/currencies/EUR",
        headers: {}
      })
      assert.deepStrictEqual(JSON.parse(String(body)), shownEuro)
    }).pipe(
      Effect.provide(nodeLayer({ genesis })),
      Effect.provide(Layer.succeed(CurrencyPrices, { current: Effect.succeed([euro]) }))
    ))
})
