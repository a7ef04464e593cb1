import { Effect, type Scope } from "effect"
import { performance } from "node:perf_hooks"
import { counter, Distribution, gauge, histogram, measure, programVersion } from "../../core/mod.ts"

/** Seconds. */
const boundsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const

/** How often the delay is looked at. Of something that holds the loop for long, nearly all is seen. */
const lookMs = 20

/**
 * Measures the process and its event loop, for as long as the scope lives. The delays are counted in a histogram of our own: the one of
 * Node would have to be reset with each scrape, and two that scrape would take from each other.
 */
export const measureProcess: Effect.Effect<void, never, Scope.Scope> = Effect.gen(function*() {
  const delays = new Distribution(boundsSeconds)
  let expectedMs = performance.now() + lookMs
  const look = () => {
    const nowMs = performance.now()
    // timers are never early, and a millisecond late by their nature
    delays.observe(Math.max(0, nowMs - expectedMs) / 1000)
    expectedMs = nowMs + lookMs
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => setInterval(look, lookMs).unref()),
    (timer) => Effect.sync(() => clearInterval(timer))
  )
  yield* measure(
    histogram(
      "rollup_event_loop_delay_seconds",
      `How much later than it should a timer went off, looked at every ${lookMs} ms`,
      delays
    ),
    counter(
      "rollup_event_loop_active_seconds_total",
      "Time in which the event loop was at work",
      () => performance.eventLoopUtilization().active / 1000
    ),
    counter("process_cpu_seconds_total", "Processor time of the process, all threads", () => {
      const { system, user } = process.cpuUsage()
      return (user + system) / 1e6
    }),
    gauge(
      "process_start_time_seconds",
      "When the process was started, seconds since 1970",
      () => performance.timeOrigin / 1000
    ),
    gauge(
      "process_resident_memory_bytes",
      "Memory of the process",
      () => process.memoryUsage.rss()
    ),
    heapBytes("used", () => process.memoryUsage().heapUsed),
    heapBytes("total", () => process.memoryUsage().heapTotal),
    heapBytes("external", () => process.memoryUsage().external),
    gauge(
      "rollup_build_info",
      "1, with the versions as labels",
      () => 1,
      { version: programVersion, node: process.versions.node }
    )
  )
})

const heapBytes = (part: string, read: () => number) =>
  gauge(
    "rollup_heap_bytes",
    "Memory of JavaScript: heap in use, heap, and what lies outside of it",
    read,
    { part }
  )
