import { Effect, type Scope } from "effect"
import type { OpenOtlp, OtlpOptions } from "./_otlp_exporter.ts"

export type { OpenOtlp, OtlpOptions } from "./_otlp_exporter.ts"

/**
 * Exports metrics and traces to an OpenTelemetry collector over OTLP/HTTP, in JSON, until the scope
 * closes. If the collector does not answer, the export pauses for a minute, and its data are lost.
 * The exporter is imported at the first call.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { openOtlp } from "rollup-node-api/admin"
 * import { openMonitor } from "rollup-node-api/metrics"
 * import { createServer } from "node:http"
 * import type { AddressInfo } from "node:net"
 *
 * const paths = new Set<string>()
 * const collector = createServer((request, response) => {
 *   paths.add(request.url!)
 *   response.writeHead(200, { "content-type": "application/json" }).end("{}")
 * }).listen(0, "127.0.0.1")
 * await new Promise((resolve) => collector.once("listening", resolve))
 * const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
 * const program = Effect.gen(function*() {
 *   const { tracer } = yield* openOtlp({ url, monitor: openMonitor() })
 *   yield* Effect.void.pipe(Effect.withSpan("work"), Effect.withTracer(tracer))
 * })
 * await Effect.runPromise(Effect.scoped(program))
 * console.log(paths.has("/v1/traces")) // => true
 * collector.close()
 * ```
 */
export const openOtlp = (options: OtlpOptions): Effect.Effect<OpenOtlp, never, Scope.Scope> =>
  Effect.flatMap(
    Effect.promise(() => import("./_otlp_exporter.ts")),
    ({ makeOtlp }) => makeOtlp(options)
  )
