import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { stripVTControlCharacters } from "node:util"
import { makeProgress } from "../../app/commands/progress.ts"

/** Returns the output without a terminal, as in the tests. */
const linesOf = (run: Effect.Effect<void>) => {
  const lines: Array<unknown> = []
  const collector = Logger.make(({ message }) => void lines.push(...[message].flat()))
  return Effect.as(Effect.provide(run, Logger.layer([collector])), lines)
}

describe("progress", () => {
  it("is logged in lines with units, rate, position, share and remaining time", () =>
    Effect.runPromise(Effect.gen(function*() {
      const [counted, endless] = yield* linesOf(Effect.gen(function*() {
        const progress = yield* makeProgress({ unit: "transactions", everyMs: 0 })
        yield* progress.report({ units: 50, share: 0.25, at: "Ethereum block 7" })
        yield* progress.report({ units: 60, share: undefined })
        assert.match(progress.end(), /^\d+ s$/u)
      }))
      assert.match(
        String(counted),
        /^50 transactions, \d+ a second, Ethereum block 7, 25 %, \d+ s to go$/u
      )
      assert.match(String(endless), /^60 transactions, \d+ a second$/u)
    })))

  it("is a bar on a terminal, which fits its width and is cleared at the end", () =>
    Effect.runPromise(Effect.gen(function*() {
      const written: Array<string> = []
      const to = { columns: 40, isTTY: true, write: (text: string) => written.push(text) > 0 }
      const lines = yield* linesOf(Effect.gen(function*() {
        const progress = yield* makeProgress({ unit: "items", to })
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 250)))
        progress.reportNow({ units: 50, share: 0.5 })
        progress.reportNow({ units: 51, share: 0.51 })
        progress.end()
      }))
      assert.deepStrictEqual(lines, [])
      assert.strictEqual(written.length, 2)
      const [bar, cleared] = written
      assert.isTrue(bar!.startsWith("\u001b[2K") && bar!.endsWith("\r"), bar)
      const visible = stripVTControlCharacters(bar!).trimEnd()
      assert.match(visible, /^\[#{12}-{12}\] 50 items, \d+/u)
      assert.isBelow(visible.length, 40)
      assert.strictEqual(cleared, "\u001b[2K")
    })))

  it("is not logged more often than configured", () =>
    Effect.runPromise(Effect.gen(function*() {
      const lines = yield* linesOf(Effect.gen(function*() {
        const progress = yield* makeProgress({ unit: "records", everyMs: 3_600_000 })
        for (let units = 1; units <= 1000; units++) progress.reportNow({ units, share: undefined })
      }))
      assert.deepStrictEqual(lines, [])
    })))
})
