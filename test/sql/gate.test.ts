import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { makeGate } from "../../adapters/sql/_gate.ts"

describe("the gate before the connections", () => {
  it.live("lets as many in as it has places, and loses none, whoever gives up or is interrupted", () => Effect.gen(function*() {
    const places = 3
    const gate = makeGate({ places, connections: places, waitMs: 5 })
    let [inside, most, finished, interrupted, late] = [0, 0, 0, 0, 0]
    const stay = Effect.suspend(() => {
      most = Math.max(most, ++inside)
      return Effect.ensuring(Effect.sleep(1), Effect.sync(() => void inside--))
    })
    for (let round = 0; round < 60; round++) {
      const fibers = yield* Effect.forEach(Array.from({ length: 12 }), (_, i) => Effect.forkChild(i % 3 === 0 ? Effect.scoped(Effect.andThen(gate.scoped, stay)) : gate.during(stay)))
      // before, between and after the wakes
      for (const [i, fiber] of fibers.entries()) {
        if ((i + round) % 4 !== 0) continue
        if (round % 2 === 0) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
      }
      for (const fiber of fibers) {
        const exit = yield* Fiber.await(fiber)
        if (Exit.isSuccess(exit)) finished++
        else if (Exit.hasInterrupts(exit)) interrupted++
        else late++
      }
      assert.strictEqual(inside, 0)
    }
    assert.strictEqual(most, places)
    assert.isAbove(finished, 60)
    assert.isAbove(interrupted, 60)
    assert.strictEqual(finished + interrupted + late, 60 * 12)
    // all places are there still: so many enter at once, and not one more
    most = 0
    yield* Effect.all(Array.from({ length: places }, () => gate.during(stay)), { concurrency: "unbounded" })
    assert.strictEqual(most, places)
  }))

  it.live("refuses who waited in vain with a sentence that names the connections", () => Effect.gen(function*() {
    const gate = makeGate({ places: 1, connections: 1, waitMs: 20 })
    const error = yield* Effect.flip(gate.during(gate.during(Effect.void)))
    assert.strictEqual((error.reason as { cause?: Error }).cause?.message, "The connection was in use for 20 ms, expected a free one: try again, or allow more connections")
    yield* gate.during(Effect.void)
  }))
})
