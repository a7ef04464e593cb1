/*
 * Runs many crash points; `RESULTS.md` has the last result.
 *
 *     node test/tools/campaigns/sql_crash.ts --points 1000 --seed 1
 */
import { parseArgs } from "node:util"
import { startCluster } from "../../postgres/cluster.ts"
import { crashPoints } from "../../sql/crash/_crash_points.ts"

const { values } = parseArgs({
  options: { points: { type: "string", default: "1000" }, seed: { type: "string", default: "1" } }
})
const startMs = Date.now()
const cluster = await startCluster()
try {
  const report = await crashPoints(cluster, {
    points: Number(values.points),
    seed: values.seed,
    watch: ({ points }) => {
      if (points % 50 === 0) {
        console.log(`${points} crash points in ${Math.round((Date.now() - startMs) / 1000)} s`)
      }
    }
  })
  console.log(`${JSON.stringify(report)} in ${Math.round((Date.now() - startMs) / 1000)} s`)
} finally {
  await cluster.remove()
}
