import { Context, Effect, Exit, Option, Tracer } from "effect"
import * as Headers from "effect/http/Headers"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import type { TelemetryOptions, RequestRecord } from "./telemetry_options.ts"

/** Returns the parent span in a header `traceparent` (W3C Trace Context), if it is valid. */
export const parseTraceParent = (traceparent: string): Tracer.ExternalSpan | undefined => {
  // `w3c` reads version 00 only; later ones, except ff, begin with the same fields (section 4.3)
  const asVersion00 = traceparent.replace(/^(?!00|ff)[0-9a-f]{2}(-.{52})(?:-.*)?$/u, "00$1")
  const headers = Headers.fromRecordUnsafe({ traceparent: asVersion00 })
  return Option.getOrUndefined(HttpTraceContext.w3c(headers))
}

type Traces = NonNullable<TelemetryOptions["traces"]>

/** Starts the span of a request, or returns undefined if the request is not sampled. */
export const beginSpan = (
  { ratio, tracer }: Traces,
  name: () => string,
  parent: Tracer.ExternalSpan | undefined
): Tracer.Span | undefined => {
  if (parent === undefined ? Math.random() >= ratio : !parent.sampled) return undefined
  return tracer.span({
    name: name(),
    parent: Option.fromUndefinedOr(parent),
    annotations: Context.empty(),
    links: [],
    startTime: nowNs(),
    kind: "server",
    root: parent === undefined,
    sampled: true
  })
}

/** Runs an effect with the span as its parent. */
export const withSpan = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { tracer }: Traces,
  span: Tracer.Span
): Effect.Effect<A, E, R> => effect.pipe(Effect.withParentSpan(span), Effect.withTracer(tracer))

/** Ends the span, with attributes of the semantic conventions of OpenTelemetry. */
export const endSpan = (
  span: Tracer.Span,
  { id, method, operation, problem, revision, status, url }: RequestRecord
): void => {
  const mark = url.indexOf("?")
  span.attribute("http.request.method", method)
  span.attribute("http.response.status_code", status)
  span.attribute("url.path", mark < 0 ? url : url.slice(0, mark))
  if (mark >= 0) span.attribute("url.query", url.slice(mark + 1))
  span.attribute("rollup.operation", operation)
  span.attribute("rollup.revision", revision)
  span.attribute("rollup.request_id", id)
  if (problem !== undefined) span.attribute("error.type", problem)
  span.end(nowNs(), status >= 500 ? Exit.fail(new Error(problem ?? String(status))) : Exit.void)
}

const nowNs = (): bigint =>
  BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n
