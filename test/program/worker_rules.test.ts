import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { availableParallelism } from "node:os"
import { openMonitor } from "../../adapters/metrics/mod.ts"
import { adminPortOf } from "../../app/commands/admin.ts"
import { RestartDelay } from "../../app/workers/supervisor.ts"
import { monitorGroup, workerCount } from "../../app/workers/mod.ts"

describe("a group of workers", () => {
  it("has as many workers as the setting says, or one for each core", () => {
    assert.deepStrictEqual([workerCount(3), workerCount("cores")], [3, availableParallelism()])
  })

  it("has admin listeners at the port of the supervisor and at the ports after it", () => {
    const portsOf = (adminPort: number | "off" | undefined, port = 8080) =>
      [0, 1, 2].map((number) => adminPortOf({ adminPort, port }, number))
    assert.deepStrictEqual(portsOf(undefined), [9464, 9465, 9466])
    assert.deepStrictEqual(portsOf(7000), [7000, 7001, 7002])
    // free ones
    assert.deepStrictEqual(portsOf(0), [0, 0, 0])
    assert.deepStrictEqual(portsOf(undefined, 0), [0, 0, 0])
    assert.deepStrictEqual(portsOf("off"), [null, null, null])
  })

  it.effect("is ready while a worker is ready, degraded if another one is not, and failing if none is", () =>
    Effect.gen(function*() {
      const healthOf = (states: Readonly<Record<number, "ok" | "failing">>) =>
        Effect.scoped(Effect.gen(function*() {
          const monitor = openMonitor()
          const reports = new Map(
            Object.entries(states).map(([number, state]) =>
              [Number(number), { state, checks: {} }] as const
            )
          )
          const group = {
            numbers: [1, 2],
            restarts: new Map(),
            reports: () => Effect.succeed(reports)
          }
          yield* monitorGroup(group as never, monitor)
          return (yield* monitor.health).workers!.state
        }))
      assert.strictEqual(yield* healthOf({ 1: "ok", 2: "ok" }), "ok")
      assert.strictEqual(yield* healthOf({ 1: "ok", 2: "failing" }), "degraded")
      assert.strictEqual(yield* healthOf({ 1: "ok" }), "degraded")
      assert.strictEqual(yield* healthOf({ 1: "failing", 2: "failing" }), "failing")
      assert.strictEqual(yield* healthOf({}), "failing")
    }))
})

describe("the delay of a restart", () => {
  it("doubles up to a bound until the worker has served for a while", () => {
    const delay = new RestartDelay()
    for (const expected of [100, 200, 400, 800]) assert.strictEqual(delay.afterExit(1), expected)
    delay.serving(1000)
    assert.strictEqual(delay.afterExit(2000), 1600)
    delay.serving(3000)
    assert.strictEqual(delay.afterExit(33_000), 100)
    for (let i = 0; i < 20; i++) delay.afterExit(i)
    assert.strictEqual(delay.afterExit(0), 30_000)
  })
})
