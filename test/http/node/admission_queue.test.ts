import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { AdmissionQueue } from "../../../adapters/http/node/_admission_queue.ts"
import { Loop, type Outcome } from "./_loop.ts"

const percentile = (outcomes: ReadonlyArray<Outcome>, share: number): number =>
  Float64Array.from(outcomes, ({ tookMs }) => tookMs).sort()[Math.floor(outcomes.length * share)] ??
    0
const refusedOf = (outcomes: ReadonlyArray<Outcome>) =>
  outcomes.filter(({ isRefused }) => isRefused)
const acceptedOf = (outcomes: ReadonlyArray<Outcome>) =>
  outcomes.filter(({ isRefused }) => !isRefused)

describe("the admission queue", () => {
  it("refuses no client of a pool that waits for each answer, for any size of the pool and any speed of the answers", () => {
    for (const clients of [1, 8, 64, 200]) {
      for (const computeMs of [0.05, 1.3, 20]) {
        const loop = new Loop({ computeMs })
        loop.keepAsking(clients, 3000)
        loop.run()
        assert.isEmpty(refusedOf(loop.outcomes), `${clients} clients, ${computeMs} ms`)
        // first come, first served: each request waits for one of each other client
        assert.isAtMost(
          percentile(loop.outcomes, 1 - 1 / loop.outcomes.length),
          2.1 * (clients + 1) * computeMs + 4,
          `${clients} clients, ${computeMs} ms`
        )
      }
    }
  })

  it("keeps accepted requests fast at four and eight times the capacity, refuses early, and uses the whole capacity", () => {
    for (const times of [4, 8]) {
      const loop = new Loop({ computeMs: 1 })
      loop.pour(500, 10_000)
      loop.run()
      const normal = loop.outcomes.splice(0)
      assert.isEmpty(refusedOf(normal))
      loop.pour(times * 1000, 70_000)
      loop.run()
      const over = loop.outcomes.splice(0)
      const accepted = acceptedOf(over)
      assert.isAtLeast(accepted.length, 0.95 * (60_000 - refusedOf(over).length * 0.05))
      assert.isAtMost(percentile(accepted, 0.99), 3 * percentile(normal, 0.99))
      assert.isBelow(percentile(refusedOf(over), 0.99), 50)
      const endedMs = loop.nowMs
      loop.pour(500, 75_000)
      loop.run()
      assert.isEmpty(refusedOf(loop.outcomes.filter(({ atMs }) => atMs > endedMs + 2000)))
    }
  })

  it("refuses nothing after an overload, with few requests or none", () => {
    for (const pauseMs of [120, 600, 1000, 20_000]) {
      for (const sparse of [0, 20]) {
        const loop = new Loop({ computeMs: 0.5 })
        loop.pour(8000, 3000)
        loop.run()
        assert.isNotEmpty(refusedOf(loop.outcomes.splice(0)))
        for (let count = 0; count <= sparse; count++) {
          loop.nowMs += pauseMs
          loop.keepAsking(count < sparse ? 1 : 60, loop.nowMs + 0.1)
          loop.run()
        }
        assert.isEmpty(refusedOf(loop.outcomes), `after ${sparse} requests, one each ${pauseMs} ms`)
      }
    }
  })

  it("refuses nothing in a burst that is shorter than an interval", () => {
    const loop = new Loop({ computeMs: 0.3 })
    for (let burst = 0; burst < 20; burst++) {
      loop.keepAsking(250, loop.nowMs + 1)
      loop.run()
    }
    assert.isEmpty(refusedOf(loop.outcomes))
    const quick = new Loop({ computeMs: 0.02 })
    quick.keepAsking(2000, 5)
    quick.run()
    assert.isEmpty(refusedOf(quick.outcomes))
  })

  it("refuses nothing more if clients wait as Retry-After says", () => {
    const loop = new Loop({ computeMs: 1.3 })
    loop.pour(4000, 2000)
    loop.keepAsking(64, 9000, 1000)
    loop.run()
    assert.isNotEmpty(refusedOf(loop.outcomes.filter(({ atMs }) => atMs > 1000 && atMs < 2000)))
    assert.isEmpty(refusedOf(loop.outcomes.filter(({ atMs }) => atMs > 4000)))
  })

  it("admits the last request of the queue, however long an answer takes", () => {
    const loop = new Loop({ computeMs: 50 })
    loop.pour(400, 5000)
    loop.run()
    assert.isAtLeast(acceptedOf(loop.outcomes).length, 80)
  })

  it("refuses nothing if the target is 0", () => {
    const loop = new Loop({ computeMs: 1, targetMs: 0 })
    loop.pour(4000, 1000)
    loop.run()
    assert.isEmpty(refusedOf(loop.outcomes))
  })

  it.effect("skips a request whose client has gone", () =>
    Effect.gen(function*() {
      let [nowMs, run] = [0, () => {}]
      const { admit } = new AdmissionQueue({
        targetMs: 10,
        nowMs: () => nowMs,
        defer: (later) => void (run = later)
      })
      assert.strictEqual(admit(), "run")
      nowMs = 5
      const computed: Array<number> = []
      const waiting = [1, 2, 3].map((i) =>
        Effect.runFork(Effect.map(admit() as Effect.Effect<boolean>, () => void computed.push(i)))
      )
      yield* Fiber.interrupt(waiting[1]!)
      run()
      assert.deepStrictEqual(computed, [1, 3])
      nowMs = 20
      run()
      assert.strictEqual(admit(), "run")
    }))
})
