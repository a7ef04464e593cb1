import * as Headers from "effect/http/Headers"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import { type Tracer, Context, Exit, Option } from "effect"
import type { ProblemName } from "../message/mod.ts"

/** The log record of a request and its answer. */
export interface RequestRecord {
  /** The client's X-Request-Id if it is safe to log, otherwise a new id. The answer repeats it. */
  readonly id: string
  readonly method: string
  readonly url: string
  /**
   * The operation of the contract, such as `getAccounts`; or `docs`, `openapi`, `index`, `options`;
   * or `none` if the path is unknown.
   */
  readonly operation: string
  readonly revision: string
  /** 499 if the client disconnected before the answer. */
  readonly status: number
  readonly problem: ProblemName | undefined
  readonly durationMs: number
  /** Bytes of the body. */
  readonly bytes: number
  /** Address of the client, if the transport knows it. */
  readonly client: string | undefined
  /** Trace id of the request, 32 hexadecimal digits. */
  readonly traceId: string | undefined
}

/**
 * Logging, timing and tracing of requests. Each one is off by default.
 *
 * @example
 * ```ts
 * import { openNode } from "rollup-node-api/embed"
 * import type { TelemetryOptions } from "rollup-node-api/http"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const telemetry: TelemetryOptions = {
 *   log: ({ operation, status }) => console.log(operation, status) // => getTokens 200
 * }
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis, telemetry })
 * await node.fetch(new Request("http://node/tokens"))
 * await node.close()
 * ```
 */
export interface TelemetryOptions {
  /**
   * Called before each answer is sent; it must not throw or block. Answers that are logged, timed
   * or traced have the header X-Request-Id.
   */
  readonly log?: (record: RequestRecord) => void
  /** Whether answers have the header Server-Timing, with their duration in milliseconds. */
  readonly serverTiming?: boolean
  /** Creates a span for each sampled request. */
  readonly traces?: {
    readonly tracer: Tracer.Tracer
    /**
     * Sampling ratio, from 0 to 1, of requests without a `traceparent`; otherwise its sampled flag
     * decides.
     */
    readonly ratio: number
  }
}

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
  name: string,
  parent: Tracer.ExternalSpan | undefined
): Tracer.Span | undefined => {
  if (parent === undefined ? Math.random() >= ratio : !parent.sampled) return undefined
  return tracer.span({
    name,
    parent: Option.fromUndefinedOr(parent),
    annotations: Context.empty(),
    links: [],
    startTime: nowNs(),
    kind: "server",
    root: parent === undefined,
    sampled: true
  })
}

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
