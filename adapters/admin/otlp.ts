import { Effect, type Scope } from "effect"
import type { OpenOtlp, OtlpOptions } from "./_otlp_exporter.ts"

export type { OpenOtlp, OtlpOptions } from "./_otlp_exporter.ts"

/**
 * Sends metrics and traces to an OpenTelemetry collector over OTLP/HTTP, in JSON, until the scope closes. A collector that does not answer is left alone for a minute, and what was meant for it is lost. The client of
 * the collector is loaded with the first call.
 */
export const openOtlp = (options: OtlpOptions): Effect.Effect<OpenOtlp, never, Scope.Scope> =>
  Effect.flatMap(
    Effect.promise(() => import("./_otlp_exporter.ts")),
    ({ makeOtlp }) => makeOtlp(options)
  )
