import { assert, describe, it } from "@effect/vitest"
import { flaws } from "./_flaws.ts"
import { shrink } from "./_shrinking.ts"
import { OPERATIONS, simulateSeed } from "./simulation.ts"

/** The most seeds that it may take to find a flaw; the rarest is found by one of 25. */
const SEEDS_MAX = 150

describe("The simulation", () => {
  for (const [label, tampering] of Object.entries(flaws)) {
    it(`finds a node that ${label}`, () => {
      for (let number = 0; number < SEEDS_MAX; number++) {
        if (simulateSeed(`teeth ${number}`, { tampering }).violation !== undefined) return
      }
      assert.fail(`${SEEDS_MAX} seeds did not find it`)
    })
  }

  it("reports the few operations that are enough to break a promise", () => {
    const tampering = flaws["loses a transaction when its batch is rolled back"]!
    const seed = Array.from({ length: SEEDS_MAX }, (_, number) => `teeth ${number}`).find((each) =>
      simulateSeed(each, { tampering }).violation !== undefined
    )!
    const { operations, report } = shrink(seed, { tampering })
    assert.isBelow(operations.length, OPERATIONS / 4)
    assert.isDefined(report.violation)
    assert.strictEqual(
      simulateSeed(seed, { tampering, only: new Set(operations) }).violation,
      report.violation
    )
  })
})
