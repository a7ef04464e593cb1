import { Context, Effect, Metric } from "effect"
import { Monitor } from "../../core/ports/mod.ts"

/** Returns a monitor, and a function that reads the metrics of a response cache from it. */
export const cacheStats = () => {
  const registry = Context.make(Metric.MetricRegistry, new Map())
  const monitor: Monitor = {
    measure: (...series) => Effect.sync(() => series.forEach(({ register }) => register(registry))),
    collect: () => Effect.void,
    check: () => Effect.void
  }
  const stats = () => {
    const snapshots = Metric.snapshotUnsafe(registry)
    const valueOf = (name: string, labels: { readonly [name: string]: string } = {}): number => {
      const state = snapshots.find(({ attributes = {}, id }) =>
        id === name &&
        Object.entries(labels).every(([name, value]) =>
          (attributes as { readonly [name: string]: unknown })[name] === value
        )
      )?.state as { readonly count: number } | { readonly value: number }
      return "count" in state ? state.count : state.value
    }
    const answers = (source: string) => valueOf("rollup_answers_total", { source })
    return {
      hits: answers("hit"),
      misses: answers("miss"),
      shared: answers("shared"),
      notModified: answers("notModified"),
      entries: valueOf("rollup_answers_kept"),
      bytes: valueOf("rollup_answers_kept_bytes"),
      bytesMax: valueOf("rollup_answers_kept_bytes_max"),
      evictions: valueOf("rollup_answers_evicted_total"),
      gzip: {
        sent: valueOf("rollup_answers_encoded_total", { encoding: "gzip" }),
        compressed: valueOf("rollup_answers_compressed_total", { encoding: "gzip" })
      }
    }
  }
  return {
    stats,
    /** Opens an application that is measured. */
    measured: <A, E, R>(open: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.provideService(open, Monitor, monitor)
  }
}
