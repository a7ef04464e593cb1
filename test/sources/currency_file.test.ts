import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { openMonitor } from "../../adapters/metrics/mod.ts"
import { openCurrencyFile, readCurrencyFile } from "../../app/sources/mod.ts"
import { type CurrencyPrices, Monitor } from "../../core/ports/mod.ts"
import { fileWith } from "./_file.ts"

/** Returns the path of a new file with a text. */
const currenciesWith = (text: string) => fileWith("currencies.json", text)
const textOf = (unitsPerUSD: object) => JSON.stringify({ unitsPerUSD })

describe("the file with the prices of currencies", () => {
  it.effect("has the units of each currency that one US dollar buys, and the time of all", () =>
    Effect.gen(function*() {
      const lastUpdate = "2021-06-01T12:00:00Z"
      const unitsPerUSD = { EUR: 0.84, JPY: 110.25 }
      const path = yield* currenciesWith(JSON.stringify({ lastUpdate, unitsPerUSD }))
      const timeMs = Date.UTC(2021, 5, 1, 12)
      assert.deepStrictEqual(yield* readCurrencyFile(path), [
        { currency: "EUR", unitsPerUSD: 0.84, timeMs },
        { currency: "JPY", unitsPerUSD: 110.25, timeMs }
      ])
    }))

  it.effect("has the time of its last change by default", () =>
    Effect.gen(function*() {
      const path = yield* currenciesWith(textOf({ EUR: 0.84 }))
      utimesSync(path, 1_622_548_800, 1_622_548_800)
      const [price] = yield* readCurrencyFile(path)
      assert.strictEqual(price!.timeMs, 1_622_548_800_000)
    }))

  it.effect("is refused with every rule that it breaks", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [text: string, ...expected: ReadonlyArray<RegExp>]> = [
        ["", /it is not JSON: /u],
        [
          "[]",
          /The file has the invalid value \[\]: expected an object of lastUpdate, unitsPerUSD/u
        ],
        ["{}", /\/unitsPerUSD is missing: expected an object with the units of each currency/u],
        [
          textOf([]),
          /\/unitsPerUSD has the invalid value \[\]: expected an object with the units/u
        ],
        [
          JSON.stringify({ lastUpdate: "2021-02-30T00:00:00Z", unitsPerUSD: {} }),
          /\/lastUpdate has the invalid value "2021-02-30T00:00:00Z": expected a time from 1970 on/u
        ],
        [
          textOf({ EUR: "0.84", CNY: 0, JPY: -1, GBP: null }),
          /\/unitsPerUSD\/EUR has the invalid value "0.84": expected a number above 0/u,
          /\/unitsPerUSD\/CNY has the invalid value 0: expected a number above 0/u,
          /\/unitsPerUSD\/JPY has the invalid value -1: expected a number above 0/u,
          /\/unitsPerUSD\/GBP has the invalid value null: expected a number above 0/u
        ],
        [
          textOf({ eur: 0.84, EURO: 1 }),
          /\/unitsPerUSD\/eur has the invalid value 0.84: expected a name of three capital letters/u,
          /\/unitsPerUSD\/EURO has the invalid value 1: expected a name of three capital letters/u
        ],
        [
          JSON.stringify({ unitsPerUSD: {}, rates: {} }),
          /Unknown name \/rates: the known ones are lastUpdate, unitsPerUSD/u
        ]
      ]
      for (const [text, ...expected] of cases) {
        const path = yield* currenciesWith(text)
        const { _tag, message } = yield* Effect.flip(readCurrencyFile(path))
        assert.strictEqual(_tag, "CurrencyFileError")
        assert.isTrue(message.startsWith(`Currencies "${path}": `), message)
        for (const rule of expected) assert.match(message, rule)
      }
      const { message } = yield* Effect.flip(readCurrencyFile("/nowhere/currencies.json"))
      assert.match(message, /^Currencies "\/nowhere\/currencies\.json": it cannot be read: ENOENT/u)
    }))

  it.live("is read again when it changes, and a bad file keeps the last good prices", () => {
    const logged: Array<string> = []
    const monitor = openMonitor()
    return Effect.gen(function*() {
      const path = yield* currenciesWith(textOf({ EUR: 0.84 }))
      const opened = yield* openCurrencyFile(path, { pollMs: 20 })
      const state = Effect.map(monitor.health, ({ currencies }) => currencies!.state)
      yield* until(opened, "EUR 0.84")
      assert.strictEqual(yield* state, "ok")

      const good = textOf({ EUR: 0.85, CNY: 6.5 })
      writeFileSync(path, good)
      yield* until(opened, "EUR 0.85 CNY 6.5")

      writeFileSync(path, `{"unitsPerUSD":{"EUR":`.padEnd(good.length))
      utimesSync(path, 1_622_548_800, 1_622_548_800)
      while ((yield* state) === "ok") yield* Effect.sleep(10)
      // while the file stays as it is, its fault is logged once
      yield* Effect.sleep(100)
      assert.strictEqual(yield* shown(opened), "EUR 0.85 CNY 6.5")
      const refusals = logged.filter((line) => line.includes("it is not JSON"))
      assert.strictEqual(refusals.length, 1)
      assert.include(refusals[0], `Currencies "${path}"`)
      assert.include(refusals[0], "The prices before it stay in use")

      // as after a read that failed because of permissions: nothing shows that the next one succeeds
      writeFileSync(path, good)
      utimesSync(path, 1_622_548_800, 1_622_548_800)
      while ((yield* state) !== "ok") yield* Effect.sleep(10)

      rmSync(path)
      while (!logged.some((line) => line.includes("ENOENT"))) yield* Effect.sleep(10)
      assert.strictEqual(yield* shown(opened), "EUR 0.85 CNY 6.5")

      writeFileSync(`${path}.new`, textOf({ JPY: 110 }))
      renameSync(`${path}.new`, path)
      yield* until(opened, "JPY 110")
      assert.strictEqual(yield* state, "ok")
    }).pipe(
      Effect.scoped,
      Effect.provideService(Monitor, monitor),
      Effect.provide(
        Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
      )
    )
  })
})

const shown = ({ current }: CurrencyPrices) =>
  Effect.map(
    current,
    (prices) => prices.map(({ currency, unitsPerUSD }) => `${currency} ${unitsPerUSD}`).join(" ")
  )

/** Waits until the prices are these; the timeout of the test bounds it. */
const until = (opened: CurrencyPrices, expected: string) =>
  Effect.gen(function*() {
    while ((yield* shown(opened)) !== expected) yield* Effect.sleep(10)
  })
