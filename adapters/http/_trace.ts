import { Context, Effect, Exit, Option, Tracer } from "effect"
import type { Observing, RequestRecord } from "./observing.ts"
import type { HttpRequest } from "./message.ts"

/**
 * The span that a request says it is a part of: W3C Trace Context, version 00 or a later one that begins alike. Undefined where it says
 * nothing, or nothing that can be understood.
 */
export const traceParent = ({ headers: { traceparent } }: HttpRequest): Tracer.ExternalSpan | undefined => {
  if (typeof traceparent !== "string") return undefined
  const parts = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/u.exec(traceparent)
  if (parts === null || (parts[1] === "00" && parts[5] !== undefined)) return undefined
  return Tracer.externalSpan({ traceId: parts[2]!, spanId: parts[3]!, sampled: (Number.parseInt(parts[4]!, 16) & 1) === 1 })
}

type Traces = NonNullable<Observing["traces"]>

/** Begins the span of a request; undefined where it is none of those that are traced. */
export const beginSpan = ({ ratio, tracer }: Traces, name: () => string, parent: Tracer.ExternalSpan | undefined): Tracer.Span | undefined => {
  if (parent === undefined ? Math.random() >= ratio : !parent.sampled) return undefined
  return tracer.span({
    name: name(), parent: Option.fromUndefinedOr(parent), annotations: Context.empty(), links: [], startTime: nowNs(), kind: "server", root: parent === undefined, sampled: true
  })
}

/** What an effect does is a part of the span. */
export const within = <A, E, R>(effect: Effect.Effect<A, E, R>, { tracer }: Traces, span: Tracer.Span): Effect.Effect<A, E, R> =>
  effect.pipe(Effect.withParentSpan(span), Effect.withTracer(tracer))

/** Ends the span with what OpenTelemetry calls things. */
export const endSpan = (span: Tracer.Span, { id, method, operation, problem, revision, status, url }: RequestRecord): void => {
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

const nowNs = (): bigint => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n
