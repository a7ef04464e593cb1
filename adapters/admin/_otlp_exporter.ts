import { Effect, Layer, Redacted, Schedule, type Scope, type Tracer } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import { programVersion } from "../../core/mod.ts"
import { type OpenMonitor, otlpMetrics, scrape } from "../metrics/mod.ts"

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
  /** Takes the figures of now to be sent, as a node that ends wants it before its parts are gone. */
  readonly take: Effect.Effect<void>
}

/** How long the last ones may take to be sent when the program ends. */
const shutdownMs = 2000

/** See `openOtlp`. */
export const makeOtlp = Effect.fnUntraced(function*(
  { headers = {}, metricsEveryMs = 15_000, monitor, serviceName = "rollup-node", tracesEveryMs = 2000, url }: OtlpOptions
): Effect.fn.Return<OpenOtlp, never, Scope.Scope> {
  const services = yield* Layer.build(Layer.mergeAll(FetchHttpClient.layer, OtlpSerialization.layerJson, OtlpExporter.layerFlusher))
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)]))
  const base = url.replace(/\/+$/u, "")
  const startMs = Date.now()
  return yield* Effect.provideContext(Effect.gen(function*() {
    const serialization = yield* OtlpSerialization.OtlpSerialization
    const tracer = yield* OtlpTracer.make({
      url: `${base}/v1/traces`, headers: sent, resource: { serviceName, serviceVersion: programVersion }, exportInterval: tracesEveryMs, shutdownTimeout: shutdownMs
    })
    const exporter = yield* OtlpExporter.make({
      label: "rollup-metrics", url: `${base}/v1/metrics`, headers: sent, exportInterval: metricsEveryMs, maxBatchSize: "disabled", shutdownTimeout: shutdownMs,
      body: (read: ReadonlyArray<ReturnType<typeof otlpMetrics>>) => [serialization.metrics(read.at(-1) as never), Effect.void]
    })
    const take = Effect.map(Effect.suspend(() => scrape(monitor.metrics())), ({ families }) =>
      exporter.push(otlpMetrics({ families, serviceName, serviceVersion: programVersion, startMs, nowMs: Date.now() })))
    yield* Effect.forkScoped(Effect.repeat(take, Schedule.spaced(metricsEveryMs)))
    return { tracer, take }
  }), services)
})
