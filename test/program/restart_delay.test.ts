import { assert, describe, it } from "@effect/vitest"
import { RestartDelay } from "../../app/workers/_restart_delay.ts"

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
