/*
 * Simulates thousands of runs of the whole service, each from a seed:
 *
 *     node test/tools/campaigns/simulation.ts --seeds 100000 [--from N] [--minutes M]
 *     node test/tools/campaigns/simulation.ts --replay 123 [--only 3,17,40]
 *
 * For a seed that breaks a promise it prints how to replay it and the fewest operations that still
 * break it. RESULTS.md has the last result.
 */
import { parseArgs } from "node:util"
import { today } from "../../bench/_servers.ts"
import { describeFailure } from "../../simulation/_shrinking.ts"
import { simulateSeed } from "../../simulation/simulation.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "2000" },
    from: { type: "string", default: "1" },
    minutes: { type: "string" },
    replay: { type: "string" },
    only: { type: "string" }
  }
})

const NEWS_MS = 30_000

if (values.replay === undefined) {
  campaign(
    Number(values.seeds),
    Number(values.from),
    values.minutes === undefined ? Infinity : Number(values.minutes)
  )
} else {
  const only = values.only === undefined
    ? {}
    : { only: new Set(values.only.split(",").map(Number)) }
  const { digest, trace, violation } = simulateSeed(values.replay, { ...only, keepTrace: true })
  console.log(`${trace.join("\n")}\n${violation ?? "Every promise was kept"}; digest ${digest}`)
  process.exitCode = violation === undefined ? 0 : 1
}

function campaign(seeds: number, from: number, minutes: number): void {
  const started = performance.now()
  const { system, user } = process.cpuUsage()
  const tally = new Map<string, number>()
  let [done, failed, nextNews] = [0, 0, started + NEWS_MS]
  for (; done < seeds && performance.now() - started < minutes * 60_000; done++) {
    const report = simulateSeed(String(from + done))
    for (const [label, count] of report.tally) tally.set(label, (tally.get(label) ?? 0) + count)
    if (report.violation !== undefined) {
      failed++
      console.log(describeFailure(report))
    }
    if (performance.now() < nextNews) continue
    nextNews += NEWS_MS
    console.log(`${done + 1} of ${seeds} seeds, ${failed} failed`)
  }
  const cpu = process.cpuUsage()
  const seconds = (cpu.user + cpu.system - user - system) / 1e6
  console.log(
    `${today}: seeds ${from} to ${from + done - 1}, ${failed} failed, ${
      Math.round((performance.now() - started) / 1000)
    } s, ${(seconds * 1000 / done).toFixed(1)} ms of a core for each`
  )
  console.log(
    [...tally].sort(([, one], [, other]) => other - one).map(([label, count]) =>
      `${label}: ${count}`
    )
      .join(", ")
  )
  process.exitCode = failed === 0 ? 0 : 1
}
