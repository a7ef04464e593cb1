import { assert, describe, it } from "@effect/vitest"
import { crashPoints } from "./_crash_points.ts"

/* Replay: SEED=123 npm test -- test/journal/crash.test.ts. Thousands: node test/journal/campaign.ts --points 1000 */

const seed = process.env.SEED ?? String(Date.now() % 1_000_000)

describe(`a process that is killed at random moments (SEED=${seed})`, () => {
  it(
    "has kept everything acknowledged, and nothing by halves, at 22 points of ingest, submission, forging and rollback",
    async () => {
      const report = await crashPoints({ points: 22, seed })
      assert.strictEqual(report.points, 22)
      assert.isAtLeast(report.byClock, 11)
      // it did write in between
      assert.isAbove(report.acknowledged, 100)
    },
    600_000
  )
})
