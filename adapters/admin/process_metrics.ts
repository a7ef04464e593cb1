import { Effect, type Scope } from "effect"
import { performance } from "node:perf_hooks"
import { figure, measure, programVersion } from "../../core/mod.ts"

/** Seconds. */
const boundsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const

/** How often the delay is looked at. Of something that holds the loop for long, nearly all is seen. */
const lookMs = 20

/**
 * Measures the process and its event loop, for as long as the scope lives. The delays are counted in a histogram of our own: the one of
 * Node would have to be reset with each scrape, and two that scrape would take from each other.
 */
export const measureProcess: Effect.Effect<void, never, Scope.Scope> = Effect.gen(function*() {
  const delays = new Float64Array(boundsSeconds.length + 1)
  let sum = 0
  let expectedMs = performance.now() + lookMs
  const look = () => {
    const nowMs = performance.now()
    // timers are never early, and a millisecond late by their nature
    const seconds = Math.max(0, nowMs - expectedMs) / 1000
    expectedMs = nowMs + lookMs
    let place = 0
    while (place < boundsSeconds.length && seconds > boundsSeconds[place]!) place++
    delays[place]!++
    sum += seconds
  }
  yield* Effect.acquireRelease(Effect.sync(() => setInterval(look, lookMs).unref()), (timer) => Effect.sync(() => clearInterval(timer)))
  yield* measure(
    {
      kind: "histogram", name: "rollup_event_loop_delay_seconds", help: `How much later than it should a timer went off, looked at every ${lookMs} ms`,
      bounds: boundsSeconds, read: Effect.sync(() => [{ labels: {}, counts: delays, sum }])
    },
    figure("counter", "rollup_event_loop_active_seconds_total", "Time in which the event loop was at work", () => performance.eventLoopUtilization().active / 1000),
    {
      kind: "counter", name: "process_cpu_seconds_total", help: "Processor time of the process, all threads",
      read: Effect.sync(() => {
        const { system, user } = process.cpuUsage()
        return [{ labels: {}, value: (user + system) / 1e6 }]
      })
    },
    figure("gauge", "process_start_time_seconds", "When the process was started, seconds since 1970", () => performance.timeOrigin / 1000),
    figure("gauge", "process_resident_memory_bytes", "Memory of the process", () => process.memoryUsage.rss()),
    {
      kind: "gauge", name: "rollup_heap_bytes", help: "Memory of JavaScript: heap in use, heap, and what lies outside of it",
      read: Effect.sync(() => {
        const { external, heapTotal, heapUsed } = process.memoryUsage()
        return [{ labels: { part: "used" }, value: heapUsed }, { labels: { part: "total" }, value: heapTotal }, { labels: { part: "external" }, value: external }]
      })
    },
    figure("gauge", "rollup_build_info", "1, with the versions as labels", () => 1, { version: programVersion, node: process.versions.node })
  )
})
