import { Context, Effect, Layer, Metric, Redacted, Schedule, type Scope, type Tracer } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import { randomUUID } from "node:crypto"
import { programVersion } from "../../core/mod.ts"
import type { OpenMonitor } from "../metrics/mod.ts"

/** Options of `openOtlp`. */
export interface OtlpOptions {
  /**
   * Base URL of the collector: `http://127.0.0.1:4318`. Traces go to `/v1/traces` below it, metrics
   * to `/v1/metrics`.
   */
  readonly url: string
  /** The metrics to export. */
  readonly monitor: OpenMonitor
  /** Headers of each request to the collector, such as `Authorization`. */
  readonly headers?: { readonly [name: string]: Redacted.Redacted }
}

/** A connection to an OpenTelemetry collector. */
export interface OpenOtlp {
  /** Exports its spans; pass it as `telemetry.traces` of an application. */
  readonly tracer: Tracer.Tracer
  /**
   * Reads the metrics for the last export. Run it before the node closes, which removes its
   * metrics.
   */
  readonly snapshotMetrics: Effect.Effect<void>
}

/** Export interval of metrics. */
const metricsEveryMs = 15_000
/** Export interval of traces. */
const tracesEveryMs = 2000
/** Timeout of the last export, when the scope closes. */
const shutdownMs = 2000

/** See `openOtlp`. */
export const makeOtlp = Effect.fnUntraced(function*(
  { headers = {}, monitor, url }: OtlpOptions
): Effect.fn.Return<OpenOtlp, never, Scope.Scope> {
  const services = yield* Layer.build(
    Layer.mergeAll(FetchHttpClient.layer, OtlpSerialization.layerJson, OtlpExporter.layerFlusher)
  )
  const plainHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)])
  )
  const base = url.replace(/\/+$/u, "")
  const options = {
    headers: plainHeaders,
    resource: {
      serviceName: "rollup-node",
      serviceVersion: programVersion,
      // without it, a collector would mix up the metrics of several workers
      attributes: { "service.instance.id": randomUUID() }
    },
    shutdownTimeout: shutdownMs
  }
  // a copy, since the node has removed its metrics when the last export is sent
  const snapshot: Metric.MetricRegistry = new Map()
  const snapshotMetrics = Effect.map(monitor.exportContext, (context) => {
    snapshot.clear()
    for (const [key, metadata] of Context.get(context, Metric.MetricRegistry)) {
      const state: unknown = metadata.hooks.get(context)
      snapshot.set(key, { ...metadata, hooks: { ...metadata.hooks, get: () => state } })
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
      }).pipe(Effect.provideService(Metric.MetricRegistry, snapshot))
      yield* Effect.forkScoped(Effect.repeat(snapshotMetrics, Schedule.spaced(metricsEveryMs)))
      return { tracer, snapshotMetrics }
    }),
    services
  )
})
