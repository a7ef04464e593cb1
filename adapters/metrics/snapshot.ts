import { Effect, Metric } from "effect"
import type { Labels, Series } from "../../core/ports/mod.ts"
import type { OpenMonitor } from "./monitor.ts"

/** The values of all metrics at one moment: data that can be sent to another process. */
export type MetricSnapshot = ReadonlyArray<Metric.Metric.Snapshot>

/**
 * Returns all metrics of a monitor. Never fails: a collector that fails is left out.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { gauge } from "rollup-node-api"
 * import { metricSnapshot, openMonitor } from "rollup-node-api/metrics"
 *
 * const monitor = openMonitor()
 * const reading = Effect.andThen(
 *   monitor.measure(gauge("queue_length", "Jobs in the queue", () => 3)),
 *   metricSnapshot(monitor)
 * )
 * const snapshot = await Effect.runPromise(Effect.scoped(reading))
 * console.log(snapshot.find(({ id }) => id === "queue_length")?.state) // => { value: 3 }
 * ```
 */
export const metricSnapshot = (monitor: OpenMonitor): Effect.Effect<MetricSnapshot> =>
  Effect.map(monitor.exportContext, Metric.snapshotUnsafe)

/**
 * Returns the counters, gauges and histograms of a snapshot as series with additional labels, for
 * the monitor of another process.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { gauge } from "rollup-node-api"
 * import { metricSnapshot, openMonitor, prometheusText, snapshotSeries } from "rollup-node-api/metrics"
 *
 * const [worker, group] = [openMonitor(), openMonitor()]
 * const text = Effect.scoped(Effect.gen(function*() {
 *   yield* worker.measure(gauge("queue_length", "Jobs in the queue", () => 3))
 *   yield* group.measure(...snapshotSeries(yield* metricSnapshot(worker), { worker: "1" }))
 *   return yield* prometheusText(group)
 * }))
 * const lines = (await Effect.runPromise(text)).split("\n")
 * console.log(lines.find((line) => line.startsWith("queue_length"))) // => queue_length{worker="1"} 3
 * ```
 */
export const snapshotSeries = (snapshot: MetricSnapshot, labels: Labels): ReadonlyArray<Series> =>
  snapshot.flatMap(({ attributes, description, id, state, type }) => {
    const options = { description, attributes: { ...attributes, ...labels } }
    switch (type) {
      case "Counter":
        return [fixed(Metric.counter(id, { ...options, incremental: true }), state)]
      case "Gauge":
        return [fixed(Metric.gauge(id, options), state)]
      case "Histogram":
        return [fixed(Metric.histogram(id, { ...options, boundaries: [] }), state)]
      default:
        return []
    }
  })

/** Returns a series whose value does not change. */
const fixed = <Input>(metric: Metric.Metric<Input, unknown>, state: unknown): Series => ({
  register: (context) =>
    Metric.registerUnsafe(metric, context, {
      get: () => state,
      update: () => undefined,
      modify: () => undefined
    })
})
