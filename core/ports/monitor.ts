import { Context, Effect, Function, Metric, type Scope } from "effect"

/** The labels of a series. */
export type Labels = { readonly [name: string]: string }

/**
 * A series of Effect's metric registry. Its value is read only during an export, so that a hot path
 * only has to increment a plain number.
 */
export interface Series {
  /** @param context holds the `Metric.MetricRegistry` */
  readonly register: (context: Context.Context<never>) => Metric.Registration
}

/**
 * Returns a series that never decreases.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { counter, measure, Monitor } from "rollup-node-api"
 * import { openMonitor, prometheusText } from "rollup-node-api/metrics"
 *
 * const monitor = openMonitor()
 * const jobs = counter("jobs_total", "Finished jobs", () => 3, { queue: "fast" })
 * const text = Effect.andThen(measure(jobs), prometheusText(monitor))
 * const provided = Effect.provideService(text, Monitor, monitor)
 * const lines = (await Effect.runPromise(Effect.scoped(provided))).split("\n")
 * console.log(lines.find((line) => line.startsWith("jobs_total"))) // => jobs_total{queue="fast"} 3
 * ```
 *
 * @param name snake_case, ends in the unit and `_total`
 * @param description a sentence for a person
 */
export const counter = (
  name: string,
  description: string,
  read: () => number,
  attributes: Labels = {}
): Series =>
  seriesOf(
    Metric.counter(name, { description, attributes, incremental: true }),
    () => ({ count: read(), incremental: true })
  )

/**
 * Returns a series that can increase and decrease.
 *
 * @param name snake_case, ends in the unit
 * @param description a sentence for a person
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { gauge, measure, Monitor } from "rollup-node-api"
 * import { openMonitor, prometheusText } from "rollup-node-api/metrics"
 *
 * const monitor = openMonitor()
 * const queue = gauge("queue_bytes", "Bytes that wait for the disk", () => 512)
 * const text = Effect.andThen(measure(queue), prometheusText(monitor))
 * const provided = Effect.provideService(text, Monitor, monitor)
 * const lines = (await Effect.runPromise(Effect.scoped(provided))).split("\n")
 * console.log(lines.find((line) => line.startsWith("queue_bytes"))) // => queue_bytes 512
 * ```
 */
export const gauge = (
  name: string,
  description: string,
  read: () => number,
  attributes: Labels = {}
): Series => seriesOf(Metric.gauge(name, { description, attributes }), () => ({ value: read() }))

/**
 * Returns the buckets of a distribution as a series.
 *
 * @param name snake_case, ends in the unit
 * @param description a sentence for a person
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Distribution, histogram, measure, Monitor } from "rollup-node-api"
 * import { openMonitor, prometheusText } from "rollup-node-api/metrics"
 *
 * const times = new Distribution([0.1, 1])
 * for (const seconds of [0.02, 0.5, 7]) times.observe(seconds)
 * const monitor = openMonitor()
 * const series = histogram("job_seconds", "Duration of a job", times)
 * const text = Effect.andThen(measure(series), prometheusText(monitor))
 * const provided = Effect.provideService(text, Monitor, monitor)
 * const lines = (await Effect.runPromise(Effect.scoped(provided))).split("\n")
 * console.log(lines.find((line) => line.includes(`le="1"`))) // => job_seconds_bucket{le="1"} 2
 * ```
 */
export const histogram = (
  name: string,
  description: string,
  { bounds, state }: Distribution,
  attributes: Labels = {}
): Series =>
  seriesOf(Metric.histogram(name, { description, attributes, boundaries: bounds }), state)

/**
 * Returns the number of refusals because of a limit as a series.
 *
 * @param limit name of its setting
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { limitHits, measure, Monitor } from "rollup-node-api"
 * import { openMonitor, prometheusText } from "rollup-node-api/metrics"
 *
 * const monitor = openMonitor()
 * const hits = limitHits("bodyBytesMax", () => 2)
 * const text = Effect.andThen(measure(hits), prometheusText(monitor))
 * const provided = Effect.provideService(text, Monitor, monitor)
 * const lines = (await Effect.runPromise(Effect.scoped(provided))).split("\n")
 * console.log(lines.find((line) => line.startsWith("rollup_limit_hits_total{")))
 * // => rollup_limit_hits_total{limit="bodyBytesMax"} 2
 * ```
 */
export const limitHits = (limit: string, read: () => number, attributes: Labels = {}): Series =>
  counter(
    "rollup_limit_hits_total",
    "Refusals because of a limit, by limit",
    read,
    { limit, ...attributes }
  )

const seriesOf = <Input, State>(metric: Metric.Metric<Input, State>, get: () => State): Series => {
  const hooks = { get, update: Function.constVoid, modify: Function.constVoid }
  return { register: (context) => Metric.registerUnsafe(metric, context, hooks) }
}

/**
 * Counts observations in buckets, for `histogram`.
 *
 * @example
 * ```ts
 * import { Distribution } from "rollup-node-api"
 *
 * const times = new Distribution([0.1, 1])
 * for (const seconds of [0.02, 0.5, 7]) times.observe(seconds)
 * const { buckets, count, max } = times.state()
 * console.log(buckets, count, max) // => [ [ 0.1, 1 ], [ 1, 2 ] ] 3 7
 * ```
 */
export class Distribution {
  /** Upper bounds of the buckets, ascending. One more bucket counts greater values. */
  readonly bounds: ReadonlyArray<number>
  readonly #counts: Float64Array
  #sum = 0
  #min = Infinity
  #max = -Infinity

  constructor(bounds: ReadonlyArray<number>) {
    this.bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    let bucket = 0
    while (bucket < this.bounds.length && value > this.bounds[bucket]!) bucket++
    this.#counts[bucket]!++
    this.#sum += value
    if (value < this.#min) this.#min = value
    if (value > this.#max) this.#max = value
  }

  readonly state = (): Metric.HistogramState => {
    let count = 0
    const buckets = this.bounds.map((
      bound,
      i
    ): [number, number] => [bound, count += this.#counts[i]!])
    count += this.#counts.at(-1)!
    const [min, max] = count === 0 ? [0, 0] : [this.#min, this.#max]
    return { buckets, count, sum: this.#sum, min, max }
  }
}

/**
 * Health of a part of a node. `degraded` still serves but needs attention; `failing` cannot serve.
 */
export interface Health {
  readonly state: "ok" | "degraded" | "failing"
  /** A sentence for a person. */
  readonly detail: string
}

/** Port: the registry of the metrics and health checks of a node. */
export interface Monitor {
  /** Registers series until the scope closes. */
  readonly measure: (
    ...series: ReadonlyArray<Series>
  ) => Effect.Effect<void, never, Scope.Scope>
  /**
   * Calls `read` before each export until the scope closes, and exports the series that it returns:
   * for values that have to be read from a store, and for labels that are not known in advance. If
   * `read` fails or times out, that export omits its series.
   */
  readonly collect: (
    name: string,
    read: Effect.Effect<Iterable<Series>, unknown>
  ) => Effect.Effect<void, never, Scope.Scope>
  /** Adds a health check until the scope closes. */
  readonly check: (
    name: string,
    health: Effect.Effect<Health>
  ) => Effect.Effect<void, never, Scope.Scope>
}

/**
 * The monitor of a node. Null, the default, if the node is not monitored.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { checkHealth, Monitor } from "rollup-node-api"
 * import { openMonitor } from "rollup-node-api/metrics"
 *
 * // a part of a node registers its check; without a monitor this does nothing
 * const part = checkHealth("disk", Effect.succeed({ state: "ok", detail: "7 GB are free" }))
 * const monitor = openMonitor()
 * const health = Effect.andThen(part, monitor.health)
 * const provided = Effect.provideService(Effect.scoped(health), Monitor, monitor)
 * console.log(JSON.stringify(await Effect.runPromise(provided)))
 * // => {"disk":{"state":"ok","detail":"7 GB are free"}}
 * ```
 */
export const Monitor = Context.Reference<Monitor | null>("rollup/core/Monitor", {
  defaultValue: () => null
})

const withMonitor = (use: (monitor: Monitor) => Effect.Effect<void, never, Scope.Scope>) =>
  Effect.flatMap(Monitor, (monitor) => monitor === null ? Effect.void : use(monitor))

/**
 * Registers series with the monitor, if there is one, until the scope closes.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { gauge, measure, Monitor } from "rollup-node-api"
 * import { openMonitor, prometheusText } from "rollup-node-api/metrics"
 *
 * const monitor = openMonitor()
 * const part = measure(gauge("parts_open", "Open parts", () => 1))
 * const text = prometheusText(monitor).pipe(Effect.map((text) => text.includes("parts_open 1")))
 * const during = Effect.scoped(Effect.andThen(part, text))
 * const provided = Effect.provideService(Effect.all([during, text]), Monitor, monitor)
 * console.log(await Effect.runPromise(provided)) // => [ true, false ]
 * ```
 */
export const measure: Monitor["measure"] = (...series) =>
  withMonitor((monitor) => monitor.measure(...series))

/**
 * Registers with the monitor, if there is one, an effect that returns series before each export,
 * until the scope closes.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { collect, gauge, Monitor } from "rollup-node-api"
 * import { openMonitor, prometheusText } from "rollup-node-api/metrics"
 *
 * const monitor = openMonitor()
 * const countRows = Effect.succeed(42)
 * const part = collect(
 *   "rows",
 *   Effect.map(countRows, (rows) => [gauge("table_rows", "Rows of a table", () => rows)])
 * )
 * const text = Effect.scoped(Effect.andThen(part, prometheusText(monitor)))
 * const lines = await Effect.runPromise(Effect.provideService(text, Monitor, monitor))
 * console.log(lines.includes("table_rows 42")) // => true
 * ```
 */
export const collect: Monitor["collect"] = (name, read) =>
  withMonitor((monitor) => monitor.collect(name, read))

/**
 * Adds a health check to the monitor, if there is one, until the scope closes.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { checkHealth, Monitor } from "rollup-node-api"
 * import { openMonitor } from "rollup-node-api/metrics"
 *
 * const monitor = openMonitor()
 * const part = checkHealth("feed", Effect.succeed({ state: "failing", detail: "The feed ended" }))
 * const health = Effect.scoped(Effect.andThen(part, monitor.health))
 * const report = await Effect.runPromise(Effect.provideService(health, Monitor, monitor))
 * console.log(report.feed) // => { state: 'failing', detail: 'The feed ended' }
 * ```
 */
export const checkHealth: Monitor["check"] = (name, health) =>
  withMonitor((monitor) => monitor.check(name, health))
