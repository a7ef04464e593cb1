import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Cluster, startCluster } from "../../postgres/mod.ts"
import { replayOf, rounds } from "../../rounds.ts"
import { crashPoints } from "./_crash_points.ts"

const seed = process.env.SEED ?? "1"
/** The number of crashes, and how many of them must be of each kind. */
const share = rounds({
  short: { points: 5, timedMin: 0, acknowledgedMin: 5, ofServerMin: 0 },
  long: { points: 20, timedMin: 10, acknowledgedMin: 101, ofServerMin: 3 }
})

/* For more: `node test/tools/campaigns/sql_crash.ts --points 1000`. */
describe(`stores whose process or server is killed (replay: ${replayOf(seed, "test/sql/crash/crash.test.ts")})`, () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster.remove())

  it(
    `contain every acknowledged write and no partial write, at ${share.points} random moments`,
    async () => {
      const report = await crashPoints(cluster, { points: share.points, seed })
      assert.isAtLeast(report.timed, share.timedMin)
      // each process made some writes
      assert.isAtLeast(report.acknowledged, share.acknowledgedMin)
      assert.isAtLeast(report.ofServer, share.ofServerMin)
      assert.isAtMost(report.ofServer, share.points - share.ofServerMin)
    },
    600_000
  )
})
