import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { isMainThread } from "node:worker_threads"

/*
 * Measures for a minute how long the simulated network delays an idle server: the longest turn of
 * its event loop in CPU time, and the longest delay, which includes the time that other processes
 * take. The first of the lines, one every ten seconds, contains the start. The server loads this
 * file first, which then reports from its main thread.
 *
 *     node test/bench/stalls.ts
 */
if (import.meta.main) {
  const program = join(import.meta.dirname, "../../app/main.js")
  const words = ["serve", "--memory", "--port", "0", "--pace", "0.2"]
  spawnSync(process.execPath, ["--import", import.meta.filename, program, ...words], {
    stdio: ["ignore", "ignore", "inherit"],
    timeout: 60_500
  })
} else if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  let last = process.threadCpuUsage()
  let longestMs = 0
  setInterval(() => {
    const { system, user } = process.threadCpuUsage(last)
    last = process.threadCpuUsage()
    longestMs = Math.max(longestMs, (system + user) / 1000)
  }, 1).unref()
  setInterval(() => {
    const delayMs = (delays.max / 1e6).toFixed(1)
    console.error(
      `longest turn ${longestMs.toFixed(1)} ms of CPU time; longest delay ${delayMs} ms`
    )
    longestMs = 0
    delays.reset()
  }, 10_000).unref()
}
