import { Context, Effect, Layer, Metric, Redacted, Schedule, type Scope, type Tracer } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import { programVersion } from "../../core/mod.ts"
import type { OpenMonitor } from "../metrics/mod.ts"

export interface OtlpOptions {
  /** Of a collector: `http://127.0.0.1:4318`. Traces go to `/v1/traces` below it, metrics to `/v1/metrics`. */
  readonly url: string
  readonly monitor: OpenMonitor
  /** `rollup-node` by default. */
  readonly serviceName?: string
  /** Sent with each request, such as `Authorization`. */
  readonly headers?: { readonly [name: string]: Redacted.Redacted }
  /** How often metrics are sent; 15 s by default. */
  readonly metricsEveryMs?: number
  /** How often traces are sent; 2 s by default. */
  readonly tracesEveryMs?: number
}

/** What a node is watched with. */
export interface OpenOtlp {
  /** For the requests that should be traced. */
  readonly tracer: Tracer.Tracer
  /** Reads the metrics for the next export; run it before the parts of a node close and remove theirs. */
  readonly snapshotMetrics: Effect.Effect<void>
}

/** How long the last ones may snapshotMetrics to be sent when the program ends. */
const shutdownMs = 2000

/** See `openOtlp`. */
export const makeOtlp = Effect.fnUntraced(function*(
  {
    headers = {},
    metricsEveryMs = 15_000,
    monitor,
    serviceName = "rollup-node",
    tracesEveryMs = 2000,
    url
  }: OtlpOptions
): Effect.fn.Return<OpenOtlp, never, Scope.Scope> {
  const services = yield* Layer.build(
    Layer.mergeAll(FetchHttpClient.layer, OtlpSerialization.layerJson, OtlpExporter.layerFlusher)
  )
  const sent = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)])
  )
  const base = url.replace(/\/+$/u, "")
  const options = {
    headers: sent,
    resource: { serviceName, serviceVersion: programVersion },
    shutdownTimeout: shutdownMs
  }
  // a copy, since the parts of the node have removed their metrics when the last export is sent
  const copied: Metric.MetricRegistry = new Map()
  const snapshotMetrics = Effect.map(monitor.collected, (context) => {
    copied.clear()
    for (const [key, metadata] of Context.get(context, Metric.MetricRegistry)) {
      const state: unknown = metadata.hooks.get(context)
      copied.set(key, { ...metadata, hooks: { ...metadata.hooks, get: () => state } })
    }
  })
  return yield* Effect.provideContext(
    Effect.gen(function*() {
      const tracer = yield* OtlpTracer.make({
        ...options,
        url: `${base}/v1/traces`,
        exportInterval: tracesEveryMs
      })
      yield* OtlpMetrics.make({
        ...options,
        url: `${base}/v1/metrics`,
        exportInterval: metricsEveryMs
      }).pipe(Effect.provideService(Metric.MetricRegistry, copied))
      yield* Effect.forkScoped(Effect.repeat(snapshotMetrics, Schedule.spaced(metricsEveryMs)))
      return { tracer, snapshotMetrics }
    }),
    services
  )
})
