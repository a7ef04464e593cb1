import { Context, Effect, Metric } from "effect"
import { gauge, type Health, type Monitor, type Series } from "../../core/ports/mod.ts"

/** A monitor with its metric registry and health checks. */
export interface OpenMonitor extends Monitor {
  /**
   * Reads the metrics of all collectors, then returns the context that contains the
   * `Metric.MetricRegistry`, for Effect's exporters.
   */
  readonly exportContext: Effect.Effect<Context.Context<never>>
  /** Returns the health of each part. A check that fails or times out is `failing`. */
  readonly health: Effect.Effect<{ readonly [name: string]: Health }>
}

/** Metrics that are read asynchronously before an export. */
interface Collector {
  readonly name: string
  readonly read: Effect.Effect<Iterable<Series>, unknown>
  registrations: ReadonlyArray<Metric.Registration>
}

/** Options of `openMonitor`. */
export interface MonitorOptions {
  /** Timeout of each collector and of each health check; 2000 by default. */
  readonly timeoutMs?: number
}

/** The content type of the text that `prometheusText` returns. */
export const prometheusContentType = "text/plain; version=0.0.4; charset=utf-8"

/**
 * Reads all metrics and returns them in the text format of Prometheus. A collector that fails or
 * times out is left out, and `rollup_metrics_unread` counts it. Never fails.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { openMonitor, prometheusText } from "rollup-node-api/metrics"
 * import { gauge } from "rollup-node-api"
 *
 * const monitor = openMonitor()
 * const text = Effect.scoped(Effect.gen(function*() {
 *   yield* monitor.measure(gauge("queue_length", "Jobs in the queue", () => 3))
 *   return yield* prometheusText(monitor)
 * }))
 * const lines = (await Effect.runPromise(text)).split("\n")
 * console.log(lines.find((line) => line.startsWith("queue_length"))) // => queue_length 3
 * ```
 */
export const prometheusText = (monitor: OpenMonitor): Effect.Effect<string> =>
  Effect.gen(function*() {
    const context = yield* monitor.exportContext
    // imported here because it imports the HTTP router, which would slow down the start
    const { formatUnsafe } = yield* Effect.promise(() =>
      import("effect/observability/PrometheusMetrics")
    )
    return formatUnsafe(context)
  })

/**
 * Opens a monitor for one node. Pass it to the node, or provide it as `Monitor` to its layers.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { openNode } from "rollup-node-api/embed"
 * import { openMonitor, prometheusText } from "rollup-node-api/metrics"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const monitor = openMonitor()
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis, monitor })
 * await node.fetch(new Request("http://node/tokens"))
 * const lines = (await Effect.runPromise(prometheusText(monitor))).split("\n")
 * const requests = lines.find((line) => line.startsWith("rollup_http_requests_total{"))
 * console.log(requests) // => rollup_http_requests_total{operation="getTokens",revision="later",status="200"} 1
 * await node.close()
 * ```
 */
export const openMonitor = ({ timeoutMs = 2000 }: MonitorOptions = {}): OpenMonitor => {
  const registry = new CollectedRegistry(timeoutMs)
  const checks = new Map<string, Effect.Effect<Health>>()
  return {
    measure: (...series) =>
      Effect.asVoid(Effect.acquireRelease(
        Effect.sync(() => registry.register(series)),
        (registrations) => Effect.sync(() => removeAll(registrations))
      )),
    collect: (name, read) =>
      Effect.asVoid(Effect.acquireRelease(
        Effect.sync(() => registry.add({ name, read, registrations: [] })),
        (collector) => Effect.sync(() => registry.remove(collector))
      )),
    check: (name, health) =>
      Effect.acquireRelease(
        Effect.sync(() => void checks.set(name, health)),
        () =>
          Effect.sync(() => {
            if (checks.get(name) === health) checks.delete(name)
          })
      ),
    exportContext: Effect.suspend(() => registry.export()),
    health: Effect.map(
      Effect.suspend(() =>
        Effect.forEach(
          [...checks],
          ([name, check]) =>
            Effect.map(withTimeout(check, timeoutMs), (health) => [name, health] as const),
          { concurrency: "unbounded" }
        )
      ),
      (entries) => Object.fromEntries<Health>(entries)
    )
  }
}

/** A metric registry, and the collectors that are read for each export of it. */
class CollectedRegistry {
  readonly #timeoutMs: number
  readonly #context = Context.make(Metric.MetricRegistry, new Map())
  readonly #collectors = new Set<Collector>()
  #unread = 0

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
    gauge(
      "rollup_metrics_unread",
      "Collectors that failed or did not answer in time for this scrape",
      () => this.#unread
    ).register(this.#context)
  }

  register(series: ReadonlyArray<Series>): ReadonlyArray<Metric.Registration> {
    return series.map((each) => each.register(this.#context))
  }

  add(collector: Collector): Collector {
    this.#collectors.add(collector)
    return collector
  }

  remove(collector: Collector): void {
    this.#collectors.delete(collector)
    this.#replace(collector, [])
  }

  export() {
    const reads = [...this.#collectors].map((collector) => this.#read(collector))
    return Effect.map(Effect.all(reads, { concurrency: "unbounded" }), (successes) => {
      this.#unread = successes.filter((isSuccess) => !isSuccess).length
      return this.#context
    })
  }

  /** Reads a collector and replaces its metrics. Returns whether it succeeded. */
  #read(collector: Collector): Effect.Effect<boolean> {
    return collector.read.pipe(
      Effect.timeout(this.#timeoutMs),
      Effect.map((series) => {
        this.#replace(collector, [...series])
        return true
      }),
      Effect.catchCause((cause) => {
        this.#replace(collector, [])
        const message = `Metric ${collector.name} could not be read`
        return Effect.as(Effect.logDebug(message, cause), false)
      })
    )
  }

  #replace(collector: Collector, series: ReadonlyArray<Series>): void {
    removeAll(collector.registrations)
    // its scope may have closed while it was read
    collector.registrations = this.#collectors.has(collector) ? this.register(series) : []
  }
}

const removeAll = (registrations: ReadonlyArray<Metric.Registration>): void => {
  for (const registration of registrations) registration.remove()
}

/** Returns the health, or `failing` if the check fails or times out. */
const withTimeout = (health: Effect.Effect<Health>, timeoutMs: number): Effect.Effect<Health> =>
  health.pipe(
    Effect.timeoutOrElse({
      duration: timeoutMs,
      orElse: () =>
        Effect.succeed<Health>({
          state: "failing",
          detail: `There was no answer within ${timeoutMs} ms`
        })
    }),
    Effect.catchCause((cause) =>
      Effect.as(
        Effect.logError("A health check failed in an unexpected way", cause),
        { state: "failing", detail: "The check itself failed: the log says how" } as const
      )
    )
  )
