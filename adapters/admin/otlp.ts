import { Effect, type Scope } from "effect"
import type { OpenOtlp, OtlpOptions } from "./_otlp_exporter.ts"

export type { OpenOtlp, OtlpOptions } from "./_otlp_exporter.ts"

/**
 * Exports metrics and traces to an OpenTelemetry collector over OTLP/HTTP, in JSON, until the scope
 * closes. If the collector does not answer, the export pauses for a minute, and its data are lost.
 * The exporter is imported at the first call.
 */
export const openOtlp = (options: OtlpOptions): Effect.Effect<OpenOtlp, never, Scope.Scope> =>
  Effect.flatMap(
    Effect.promise(() => import("./_otlp_exporter.ts")),
    ({ makeOtlp }) => makeOtlp(options)
  )
