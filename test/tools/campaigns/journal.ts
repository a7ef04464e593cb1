/*
 * Runs many crash points:
 *
 *     node test/tools/campaigns/journal.ts --points 1000 [--seed 7]
 *
 * RESULTS.md has the last results.
 */
import { parseArgs } from "node:util"
import { crashPoints } from "../../journal/_crash_points.ts"

const { values } = parseArgs({
  options: {
    points: { type: "string", default: "1000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) }
  }
})
const started = performance.now()
console.log(`Seed ${values.seed}`)
const report = await crashPoints({ points: Number(values.points), seed: values.seed })
console.log(
  `${report.points} crash points, ${report.timed} of them by the clock and ${report.whileOpening} while the directory was being opened, ${report.inCheckpoints} within one of ${
    report.checkpoints + report.inCheckpoints
  } checkpoints: all ${report.acknowledged} acknowledged writes survived; ${report.inFlight} writes in flight survived as a whole; ${
    Math.round((performance.now() - started) / 1000)
  } s`
)
