import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { makeConnectionLimiter } from "../../../adapters/sql/connection/_session_pool.ts"

describe("the limit on connections", () => {
  it.live("runs as many effects at once as it has permits, and loses none to a timeout or an interruption", () =>
    Effect.gen(function*() {
      const permits = 3
      const limiter = makeConnectionLimiter({ permits, connections: permits, waitMs: 5 })
      let [inside, most, finished, interrupted, late] = [0, 0, 0, 0, 0]
      const stay = Effect.suspend(() => {
        most = Math.max(most, ++inside)
        return Effect.ensuring(Effect.sleep(1), Effect.sync(() => void inside--))
      })
      for (let round = 0; round < 60; round++) {
        const fibers = yield* Effect.forEach(
          Array.from({ length: 12 }),
          (_, i) =>
            Effect.forkChild(
              i % 3 === 0
                ? Effect.scoped(Effect.andThen(limiter.scopedPermit, stay))
                : limiter.withPermit(stay)
            )
        )
        // before, while and after they are woken
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
      assert.strictEqual(most, permits)
      assert.isAbove(finished, 60)
      assert.isAbove(interrupted, 60)
      assert.strictEqual(finished + interrupted + late, 60 * 12)
      // no permit is lost: as many run at once as before, and no more
      most = 0
      yield* Effect.all(Array.from({ length: permits }, () => limiter.withPermit(stay)), {
        concurrency: "unbounded"
      })
      assert.strictEqual(most, permits)
    }))
})
