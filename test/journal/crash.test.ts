import { assert, describe, it } from "@effect/vitest"
import { replayOf, rounds } from "../rounds.ts"
import { crashPoints } from "./_crash_points.ts"

/* Many more crash points: node test/tools/campaigns/journal.ts --points 1000 */

const seed = process.env.SEED ?? String(Date.now() % 1_000_000)
/** Number of crash points, and minimum counts of their report. */
const share = rounds({
  short: { points: 5, timedMin: 2, acknowledgedMin: 2 },
  long: { points: 22, timedMin: 11, acknowledgedMin: 101 }
})

describe(`a process that is killed at random moments (replay: ${replayOf(seed, "test/journal/crash.test.ts")})`, () => {
  it(
    `keeps all acknowledged writes and no partial ones, at ${share.points} points of ingest, submission, forging, rollback and checkpoints`,
    async () => {
      const report = await crashPoints({ points: share.points, seed })
      assert.strictEqual(report.points, share.points)
      assert.isAtLeast(report.timed, share.timedMin)
      // the processes did write
      assert.isAtLeast(report.acknowledged, share.acknowledgedMin)
      assert.isAtLeast(report.checkpoints + report.inCheckpoints, 1)
    },
    600_000
  )
})
