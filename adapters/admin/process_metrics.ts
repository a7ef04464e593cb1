import { Effect, type Scope } from "effect"
import { performance } from "node:perf_hooks"
import { programVersion } from "../../core/mod.ts"
import { collect, counter, Distribution, gauge, histogram, measure } from "../../core/ports/mod.ts"

const boundsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const

/** Interval of the timer that measures the delay of the event loop. */
const intervalMs = 20

/**
 * Registers the metrics of the process and of its event loop until the scope closes. It needs a
 * `Monitor`; without one it registers nothing. Node's own histogram of the delay does not fit: it
 * has to be reset at each scrape, so two scrapers would disturb each other.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Monitor } from "rollup-node-api"
 * import { measureProcess } from "rollup-node-api/admin"
 * import { openMonitor, prometheusText } from "rollup-node-api/metrics"
 *
 * const monitor = openMonitor()
 * const program = Effect.andThen(measureProcess, prometheusText(monitor))
 * const text = await Effect.runPromise(
 *   program.pipe(Effect.scoped, Effect.provideService(Monitor, monitor))
 * )
 * console.log(/^process_resident_memory_bytes [1-9]\d+$/m.test(text)) // => true
 * ```
 */
export const measureProcess: Effect.Effect<void, never, Scope.Scope> = Effect.gen(function*() {
  const delays = new Distribution(boundsSeconds)
  let expectedMs = performance.now() + intervalMs
  const observe = () => {
    const nowMs = performance.now()
    // timers are up to a millisecond late even if the event loop is idle
    delays.observe(Math.max(0, nowMs - expectedMs) / 1000)
    expectedMs = nowMs + intervalMs
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => setInterval(observe, intervalMs).unref()),
    (timer) => Effect.sync(() => clearInterval(timer))
  )
  yield* measure(
    histogram("rollup_event_loop_delay_seconds", `Delay of a timer of ${intervalMs} ms`, delays),
    counter(
      "rollup_event_loop_active_seconds_total",
      "Time in which the event loop was active",
      () => performance.eventLoopUtilization().active / 1000
    ),
    counter("process_cpu_seconds_total", "CPU time of all threads of the process", () => {
      const { system, user } = process.cpuUsage()
      return (user + system) / 1e6
    }),
    gauge(
      "process_start_time_seconds",
      "Start time of the process, in seconds since 1970",
      () => performance.timeOrigin / 1000
    ),
    gauge(
      "rollup_build_info",
      "Always 1; the labels are the versions",
      () => 1,
      { version: programVersion, node: process.versions.node }
    )
  )
  yield* collect("process_memory", memorySeries)
})

/** Dies if the process has no free file descriptor to read its resident memory. */
const memorySeries = Effect.sync(() => {
  const { external, heapTotal, heapUsed, rss } = process.memoryUsage()
  return [
    gauge("process_resident_memory_bytes", "Resident memory of the process", () => rss),
    ...Object.entries({ used: heapUsed, total: heapTotal, external }).map(([part, bytes]) =>
      gauge(
        "rollup_heap_bytes",
        "Memory of JavaScript: used heap, total heap, and external memory",
        () => bytes,
        { part }
      )
    )
  ]
})
