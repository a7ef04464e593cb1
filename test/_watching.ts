import { Effect, Layer, Metric } from "effect"
import { openMonitor } from "../adapters/metrics/mod.ts"
import { Monitor } from "../core/ports/mod.ts"

/** Opens a monitor; returns it as a layer, and what it has measured. */
export const openWatching = () => {
  const monitor = openMonitor()
  /** Returns the counters and gauges of a name, by the values of their labels. */
  const samples = (name: string): Effect.Effect<{ readonly [labels: string]: number }> =>
    Effect.map(monitor.exportContext, (context) =>
      Object.fromEntries(
        Metric.snapshotUnsafe(context).flatMap(({ attributes, id, state, type }) => {
          if (id !== name || (type !== "Counter" && type !== "Gauge")) return []
          const value = Number(type === "Counter" ? state.count : state.value)
          return [[Object.values(attributes ?? {}).join(" "), value]]
        })
      ))
  return {
    layer: Layer.succeed(Monitor, monitor),
    samples,
    /** Returns those that are not 0. */
    above0: (name: string) =>
      Effect.map(
        samples(name),
        (all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value > 0))
      )
  }
}
