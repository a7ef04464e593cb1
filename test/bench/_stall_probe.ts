import { monitorEventLoopDelay } from "node:perf_hooks"
import { isMainThread } from "node:worker_threads"

/* Preloaded by `stalls.ts`: reports the longest stalls of the event loop of the main thread. */

if (isMainThread) {
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
