import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Cluster, startCluster } from "../postgres/mod.ts"
import { crashPoints } from "./_crash_points.ts"

const seed = process.env.SEED ?? "1"

/* More of them: `node test/sql/campaign.ts --points 1000`. */
describe(`stores whose process or server is killed (replay: SEED=${seed} npm test -- test/sql/crash.test.ts)`, () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster.remove())

  it("hold all that was acknowledged and nothing by halves, at 20 random moments", async () => {
    const report = await crashPoints(cluster, { points: 20, seed })
    assert.isAtLeast(report.byClock, 10)
    // each process had something to do
    assert.isAbove(report.acknowledged, 100)
    assert.isAbove(report.ofServer, 2)
    assert.isBelow(report.ofServer, 18)
  }, 600_000)
})
