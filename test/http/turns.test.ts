import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Turns } from "../../adapters/http/_turns.ts"
import { Loop, type Told } from "./_loop.ts"

const percentile = (told: ReadonlyArray<Told>, share: number): number =>
  Float64Array.from(told, ({ tookMs }) => tookMs).sort()[Math.floor(told.length * share)] ?? 0
const refusedOf = (told: ReadonlyArray<Told>) => told.filter(({ isRefused }) => isRefused)
const acceptedOf = (told: ReadonlyArray<Told>) => told.filter(({ isRefused }) => !isRefused)

describe("turns", () => {
  it("refuse nobody who waits for each answer, however few or many they are", () => {
    for (const clients of [1, 8, 64, 200]) {
      for (const computeMs of [0.05, 1.3, 20]) {
        const loop = new Loop({ computeMs })
        loop.keepAsking(clients, 3000)
        loop.run()
        assert.isEmpty(refusedOf(loop.told), `${clients} clients, ${computeMs} ms`)
        // nobody is forgotten: each one waits for the others once
        assert.isAtMost(percentile(loop.told, 1 - 1 / loop.told.length), 2.1 * (clients + 1) * computeMs + 2, `${clients} clients, ${computeMs} ms`)
      }
    }
  })

  it("answer as quickly as ever at four times the capacity, and refuse at once", () => {
    const loop = new Loop({ computeMs: 1 })
    loop.pour(500, 10_000)
    loop.run()
    const normal = loop.told.splice(0)
    assert.isEmpty(refusedOf(normal))
    loop.pour(4000, 70_000)
    loop.run()
    const over = loop.told.splice(0)
    const accepted = acceptedOf(over)
    // all that is left of the time when those that are too many were refused
    assert.isAtLeast(accepted.length, 0.95 * (60_000 - refusedOf(over).length * 0.05))
    assert.isAtMost(percentile(accepted, 0.99), 2 * percentile(normal, 0.99))
    assert.isBelow(percentile(refusedOf(over), 0.99), 5)
    const sinceMs = loop.nowMs
    loop.pour(500, 75_000)
    loop.run()
    assert.isEmpty(refusedOf(loop.told.filter(({ atMs }) => atMs > sinceMs + 100)))
  })

  it("are given to all again once an overload is over, whether nobody asks after it, or few", () => {
    for (const pauseMs of [120, 600, 1000, 20_000]) {
      for (const sparse of [0, 20]) {
        const loop = new Loop({ computeMs: 0.5 })
        loop.pour(8000, 3000)
        loop.run()
        assert.isNotEmpty(refusedOf(loop.told.splice(0)))
        for (let asked = 0; asked <= sparse; asked++) {
          loop.nowMs += pauseMs
          loop.keepAsking(asked < sparse ? 1 : 60, loop.nowMs + 0.1)
          loop.run()
        }
        assert.isEmpty(refusedOf(loop.told), `after ${sparse} requests, one each ${pauseMs} ms`)
      }
    }
  })

  it("bear a burst that is over soon", () => {
    const loop = new Loop({ computeMs: 0.3 })
    for (let burst = 0; burst < 20; burst++) {
      loop.keepAsking(250, loop.nowMs + 1)
      loop.run()
    }
    assert.isEmpty(refusedOf(loop.told))
    // more than that many, if they take no time
    const quick = new Loop({ computeMs: 0.02 })
    quick.keepAsking(2000, 5)
    quick.run()
    assert.isEmpty(refusedOf(quick.told))
  })

  it("are given to all again when clients do as Retry-After says, and after a minute where they do not", () => {
    for (const [patienceMs, recoveredMs] of [[1000, 4000], [40, 62_000]] as const) {
      const loop = new Loop({ computeMs: 1.3 })
      loop.pour(4000, 2000)
      loop.keepAsking(64, recoveredMs + 5000, patienceMs)
      loop.run()
      assert.isNotEmpty(refusedOf(loop.told.filter(({ atMs }) => atMs > 1000 && atMs < 2000)))
      assert.isEmpty(refusedOf(loop.told.filter(({ atMs }) => atMs > recoveredMs)), `${patienceMs} ms`)
    }
  })

  it("are refused to nobody where that is switched off", () => {
    const loop = new Loop({ computeMs: 1, waitMs: 0 })
    loop.pour(4000, 1000)
    loop.run()
    assert.isEmpty(refusedOf(loop.told))
  })

  it.effect("pass over who has left", () => Effect.gen(function*() {
    let [nowMs, run] = [0, () => {}]
    const { take } = new Turns({ waitMs: 10, nowMs: () => nowMs, later: (later) => void (run = later) })
    assert.strictEqual(take(), "now")
    nowMs = 5
    const computed: Array<number> = []
    const waiting = [1, 2, 3].map((i) => Effect.runFork(Effect.map(take() as Effect.Effect<boolean>, () => void computed.push(i))))
    yield* Fiber.interrupt(waiting[1]!)
    run()
    assert.deepStrictEqual(computed, [1, 3])
    assert.strictEqual(take(), "now")
  }))
})
