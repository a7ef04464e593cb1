import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
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

  it("is not logged more often than configured", () =>
    Effect.runPromise(Effect.gen(function*() {
      const lines = yield* linesOf(Effect.gen(function*() {
        const progress = yield* makeProgress({ unit: "records", everyMs: 3_600_000 })
        for (let units = 1; units <= 1000; units++) progress.reportNow({ units, share: undefined })
      }))
      assert.deepStrictEqual(lines, [])
    })))
})
