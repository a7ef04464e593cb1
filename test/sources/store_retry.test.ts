import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Logger, Result } from "effect"
import { TestClock } from "effect/testing"
import { layer, poolLayer } from "../../adapters/memory/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { guardStores } from "../../app/stores/guarded_stores.ts"
import { retryUntilAvailable } from "../../app/stores/store_retry.ts"
import { LedgerWriter, StoreFailure } from "../../core/ports/mod.ts"
import { feedPosition } from "../../core/use_cases/mod.ts"

const unavailable = new StoreFailure({ message: "The store is away", retry: true })

describe("a step that is retried while the store is unavailable", () => {
  /** Returns when the first attempts begin, in milliseconds; `step` gets the number of the attempt. */
  const attemptsOf = (
    step: (attempt: number) => Effect.Effect<void, StoreFailure>,
    count: number
  ) =>
    Effect.gen(function*() {
      const beginsMs: Array<number> = []
      const running = yield* Effect.forkChild(retryUntilAvailable(
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
          beginsMs.push(nowMs)
          return beginsMs.length === count ? Effect.never : step(beginsMs.length)
        })
      ))
      while (beginsMs.length < count) yield* TestClock.adjust(250)
      yield* Fiber.interrupt(running)
      return beginsMs.map((ms) => ms - beginsMs[0]!)
    }).pipe(Effect.provide(Logger.layer([])))

  it.effect("begins again after twice the wait, at most after four seconds", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* attemptsOf(() => Effect.fail(unavailable), 8),
        [0, 250, 750, 1750, 3750, 7750, 11_750, 15_750]
      )
    }))

  it.effect("begins again at once after it had waited for long, such as for the lease of the writer", () =>
    Effect.gen(function*() {
      const waits = Effect.andThen(Effect.sleep(60_000), Effect.fail(unavailable))
      assert.deepStrictEqual(
        yield* attemptsOf((attempt) => attempt === 6 ? waits : Effect.fail(unavailable), 8),
        [0, 250, 750, 1750, 3750, 7750, 68_000, 68_500]
      )
    }))

  it.effect("is not retried if the failure is permanent", () =>
    Effect.gen(function*() {
      const permanent = new StoreFailure({ message: "The store is broken", retry: false })
      assert.strictEqual(
        yield* Effect.flip(retryUntilAvailable(Effect.fail(permanent))),
        permanent
      )
    }))
})

describe("stores without room", () => {
  it.effect("refuse prices, and take a rollback of a feed that first reads the last block", () =>
    Effect.gen(function*() {
      const { genesis } = simulate({ seed: 1 })
      const stores = guardStores(Layer.merge(layer(genesis), poolLayer), Effect.fail(unavailable))
      const written = Effect.gen(function*() {
        const writer = yield* LedgerWriter
        const prices = [{ tokenId: 0, priceUSD: 5, timeMs: 0 }]
        assert.strictEqual(
          yield* Effect.flip(writer.setPrices(prices, () => Result.void)),
          unavailable
        )
        const { number } = (yield* feedPosition).lastBlock
        return yield* writer.rollBack(number, () => Result.void)
      })
      assert.strictEqual((yield* Effect.provide(written, stores)).blocks, 0)
    }))
})
