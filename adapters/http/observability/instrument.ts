import { Effect, type Scope, Struct, Exit, Record, type Tracer } from "effect"
import { hexOfBytes } from "../../../core/encoding/mod.ts"
import {
  collect,
  counter,
  Distribution,
  gauge,
  histogram,
  limitHits,
  measure,
  type Series
} from "../../../core/ports/mod.ts"
import type { Dispatcher, RoutedRequest } from "../dispatch/mod.ts"
import {
  defaultLimits,
  type HttpAnswer,
  type LimitName,
  type ProblemName,
  bodyBytes,
  type HttpRequest
} from "../message/mod.ts"
import {
  type TelemetryOptions,
  type RequestRecord,
  beginSpan,
  endSpan,
  parseTraceParent
} from "./telemetry.ts"

/** Buckets of the durations: most answers take less than a millisecond. */
const boundsSeconds = [
  0.0001,
  0.00025,
  0.0005,
  0.001,
  0.0025,
  0.005,
  0.01,
  0.025,
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
  10
] as const

interface Counts {
  readonly byStatus: Map<number, number>
  readonly durations: Distribution
}

/** Counts requests by operation, revision and status. Counting a request is cheap. */
export class RequestCounts {
  /** Number of requests whose answers are being computed. */
  inFlight = 0
  readonly #byRevision = new Map<string, Map<string, Counts>>()
  readonly #problems = new Map<ProblemName, number>()
  /** Number of hits of each limit. All start at 0, so that an alert sees the first hit. */
  readonly limits: { [Name in LimitName]: number } = {
    ...Record.map({ ...defaultLimits }, () => 0),
    headersTimeoutMs: 0,
    requestTimeoutMs: 0,
    queueDelayTargetMs: 0,
    ratePerSecondMax: 0
  }

  /** Counts one request. */
  add(
    revision: string,
    operation: string,
    status: number,
    { limit, problem }: Pick<HttpAnswer, "limit" | "problem">,
    seconds: number
  ): void {
    const counts = this.#countsOf(revision, operation)
    counts.byStatus.set(status, (counts.byStatus.get(status) ?? 0) + 1)
    counts.durations.observe(seconds)
    if (problem !== undefined) this.#problems.set(problem, (this.#problems.get(problem) ?? 0) + 1)
    if (limit !== undefined) this.limits[limit]++
  }

  #countsOf(revision: string, operation: string): Counts {
    let byOperation = this.#byRevision.get(revision)
    if (byOperation === undefined) this.#byRevision.set(revision, byOperation = new Map())
    let counts = byOperation.get(operation)
    if (counts === undefined) {
      counts = { byStatus: new Map(), durations: new Distribution(boundsSeconds) }
      byOperation.set(operation, counts)
    }
    return counts
  }

  /** Returns the current series; their labels depend on the requests so far. */
  *series(): Generator<Series> {
    for (const [revision, byOperation] of this.#byRevision) {
      for (const [operation, { byStatus, durations }] of byOperation) {
        for (const [status, value] of byStatus) {
          yield counter(
            "rollup_http_requests_total",
            "Requests by operation, revision and status; 499 if the client disconnected before the answer",
            () => value,
            { operation, revision, status: String(status) }
          )
        }
        yield histogram(
          "rollup_http_request_duration_seconds",
          "Time from the arrival of a request to its answer, without the time to send it",
          durations,
          { operation, revision }
        )
      }
    }
    for (const [problem, value] of this.#problems) {
      yield counter(
        "rollup_http_problems_total",
        "Refused requests by type of the problem",
        () => value,
        { problem }
      )
    }
  }
}

/** Registers the metrics of requests until the scope closes. */
export const measureRequests = (
  counts: RequestCounts
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.andThen(
    measure(
      gauge(
        "rollup_http_requests_in_flight",
        "Requests whose answers are being computed",
        () => counts.inFlight
      ),
      ...Struct.keys(counts.limits).map((limit) => limitHits(limit, () => counts.limits[limit]))
    ),
    collect("rollup_http_requests_total", Effect.sync(() => counts.series()))
  )

interface InstrumentOptions {
  readonly counts: RequestCounts
  readonly telemetry: TelemetryOptions
  readonly dispatcher: Dispatcher
}

/** Returns the names of the headers that telemetry adds to answers. */
export const telemetryHeaderNames = (
  { log, serverTiming, traces }: TelemetryOptions
): ReadonlyArray<string> => [
  ...log !== undefined || serverTiming === true || traces !== undefined ? ["X-Request-Id"] : [],
  ...serverTiming === true ? ["Server-Timing"] : []
]

/** Returns the dispatcher with counts, logs, timing and traces of each request, as the options say. */
export const instrument = (
  { counts, dispatcher, telemetry }: InstrumentOptions
): (request: HttpRequest) => Effect.Effect<HttpAnswer> => {
  const { log, serverTiming = false, traces } = telemetry
  const isRecorded = log !== undefined || serverTiming
  return (request) => {
    const startedMs = performance.now()
    const routed = dispatcher.route(request)
    const { operation, mount: { revision } } = routed
    const { traceparent } = request.headers
    const parent = typeof traceparent === "string" && (isRecorded || traces !== undefined)
      ? parseTraceParent(traceparent)
      : undefined
    const span = traces === undefined ? undefined : beginSpan(traces, operation, parent)
    const finish = (answer: HttpAnswer): HttpAnswer => {
      const durationMs = performance.now() - startedMs
      counts.add(revision, operation, answer.status, answer, durationMs / 1000)
      if (!isRecorded && span === undefined) return answer
      const record = recordOf(routed, answer, durationMs, span ?? parent)
      log?.(record)
      if (span !== undefined) endSpan(span, record)
      const headers = { ...answer.headers, "x-request-id": record.id }
      return {
        ...answer,
        headers: serverTiming
          ? { ...headers, "server-timing": `app;dur=${durationMs.toFixed(3)}` }
          : headers
      }
    }

    const answering = dispatcher.answer(routed)
    // a cached answer is an `Exit`: no fiber is needed
    if (Exit.isExit(answering)) {
      return Effect.mapEager(answering as Effect.Effect<HttpAnswer>, finish)
    }
    const traced = span === undefined
      ? answering
      : answering.pipe(Effect.withParentSpan(span), Effect.withTracer(traces!.tracer))
    return Effect.map(countInFlight(counts, traced, () => finish(abandonedAnswer)), finish)
  }
}

/**
 * Counts a request while its answer is computed.
 *
 * @param onInterrupt is called if the client disconnects before the answer
 */
const countInFlight = (
  counts: RequestCounts,
  answer: Effect.Effect<HttpAnswer>,
  onInterrupt: () => void
): Effect.Effect<HttpAnswer> => {
  let isCounted = false
  return Effect.onExit(
    Effect.suspend(() => {
      isCounted = true
      counts.inFlight++
      return answer
    }),
    (exit) =>
      Effect.sync(() => {
        if (isCounted) counts.inFlight--
        if (Exit.isFailure(exit)) onInterrupt()
      })
  )
}

/** What logs and metrics show if the client disconnected before the answer. */
const abandonedAnswer: HttpAnswer = { status: 499, headers: {}, body: "" }

const recordOf = (
  { mount: { revision }, operation, request }: RoutedRequest,
  answer: HttpAnswer,
  durationMs: number,
  trace: Tracer.AnySpan | undefined
): RequestRecord => ({
  id: idOf(request),
  method: request.method,
  url: request.url,
  operation,
  revision,
  status: answer.status,
  problem: answer.problem,
  durationMs,
  bytes: bodyBytes(answer),
  client: request.peer?.remoteAddress,
  traceId: trace?.traceId
})

/**
 * Returns the request id of the client if it is safe to log, so that both logs name the same
 * request; otherwise a new id of constant length.
 */
const idOf = ({ headers }: HttpRequest): string => {
  const clientId = headers["x-request-id"]
  return typeof clientId === "string" && /^[\w.:-]{1,64}$/u.test(clientId)
    ? clientId
    : `${processName}-${(++requests).toString(36).padStart(7, "0")}`
}

let requests = 0
/** Random prefix that makes request ids unique across processes and restarts. */
const processName = hexOfBytes(crypto.getRandomValues(new Uint8Array(6)))
