import { assert, describe, it } from "@effect/vitest"
import { replayOf, rounds } from "../rounds.ts"
import { crashPoints } from "./_crash_points.ts"

/* For thousands of crash points: node test/journal/campaign.ts --points 1000 */

const seed = process.env.SEED ?? String(Date.now() % 1_000_000)
/** The number of crashes, and how many of them must be of each kind. */
const share = rounds({
  short: { points: 5, byClockMin: 2, acknowledgedMin: 2 },
  long: { points: 22, byClockMin: 11, acknowledgedMin: 101 }
})

describe(`a process that is killed at random moments (replay: ${replayOf(seed, "test/journal/crash.test.ts")})`, () => {
  it(
    `contains every acknowledged write and no partial write, at ${share.points} points of ingest, submission, forging and rollback`,
    async () => {
      const report = await crashPoints({ points: share.points, seed })
      assert.strictEqual(report.points, share.points)
      assert.isAtLeast(report.byClock, share.byClockMin)
      // it made some writes in between
      assert.isAtLeast(report.acknowledged, share.acknowledgedMin)
    },
    600_000
  )
})
