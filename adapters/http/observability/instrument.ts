import { Effect, Exit, type Tracer } from "effect"
import { bodyBytes, type HttpAnswer, type HttpRequest } from "../message/mod.ts"
import { abandonedStatus, type InFlight, RequestCounts } from "./request_counts.ts"
import type { TelemetryOptions, RequestRecord } from "./telemetry_options.ts"
import { beginSpan, endSpan, parseTraceParent, withSpan } from "./_trace.ts"

/** Operation and revision of a request, which the application fills in while it answers. */
export interface RequestContext {
  operation: string
  revision: string
}

export interface InstrumentOptions {
  readonly inFlight: InFlight
  /** Null without a `Monitor`. */
  readonly counts: RequestCounts | null
  readonly telemetry: TelemetryOptions
  readonly answer: (request: HttpRequest, context: RequestContext) => Effect.Effect<HttpAnswer>
  /** Returns the operation of a request without running it. */
  readonly operationOf: (request: HttpRequest) => string
}

/** Returns the names of the headers that telemetry adds to answers. */
export const telemetryHeaderNames = (
  { log, serverTiming, traces }: TelemetryOptions
): ReadonlyArray<string> => [
  ...log !== undefined || serverTiming === true || traces !== undefined ? ["X-Request-Id"] : [],
  ...serverTiming === true ? ["Server-Timing"] : []
]

/**
 * Returns `answer` with counts, logs, timing and traces of each request, as the options say.
 * Without options it only counts the requests in flight.
 */
export const instrument = (
  { answer, counts, inFlight, telemetry, operationOf }: InstrumentOptions
): (request: HttpRequest) => Effect.Effect<HttpAnswer> => {
  const { log, serverTiming = false, traces } = telemetry
  const isRecorded = log !== undefined || serverTiming
  if (counts === null && !isRecorded && traces === undefined) {
    const unusedContext: RequestContext = { operation: "", revision: "" }
    return (request) => {
      const answering = answer(request, unusedContext)
      return isSettled(answering) ? answering : countInFlight(inFlight, answering, () => {})
    }
  }

  // without a monitor the counts are discarded
  const counting = counts ?? new RequestCounts()
  return (request) => {
    const context: RequestContext = { operation: "none", revision: "" }
    const startedMs = performance.now()
    const { traceparent } = request.headers
    const parent = typeof traceparent === "string" && (isRecorded || traces !== undefined)
      ? parseTraceParent(traceparent)
      : undefined
    const span = traces === undefined
      ? undefined
      : beginSpan(traces, () => operationOf(request), parent)
    const finish = (answer: HttpAnswer): HttpAnswer => {
      const durationMs = performance.now() - startedMs
      const { operation, revision } = context
      counting.add(revision, operation, answer.status, answer, durationMs / 1000)
      if (!isRecorded && span === undefined) return answer
      const record = recordOf(request, context, answer, durationMs, span ?? parent)
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

    const answering = answer(request, context)
    // a cached answer is an `Exit`: no fiber is needed
    if (isSettled(answering)) {
      return Exit.isSuccess(answering)
        ? Effect.succeed(finish(answering.value))
        : answering
    }
    const counted = countInFlight(
      inFlight,
      span === undefined ? answering : withSpan(answering, traces!, span),
      (exit) => {
        // an interruption means that the client has disconnected
        if (Exit.isFailure(exit)) finish(abandonedAnswer)
      }
    )
    return Effect.map(counted, finish)
  }
}

/** Counts a request while its answer is computed, and then calls `finish`. */
const countInFlight = (
  inFlight: InFlight,
  answer: Effect.Effect<HttpAnswer>,
  finish: (exit: Exit.Exit<HttpAnswer>) => void
): Effect.Effect<HttpAnswer> => {
  let isCounted = false
  return Effect.onExit(
    Effect.suspend(() => {
      isCounted = true
      inFlight.count++
      return answer
    }),
    (exit) =>
      Effect.sync(() => {
        if (isCounted) inFlight.count--
        finish(exit)
      })
  )
}

const isSettled = (effect: Effect.Effect<HttpAnswer>): effect is Exit.Exit<HttpAnswer> =>
  Exit.isExit(effect)

const abandonedAnswer: HttpAnswer = { status: abandonedStatus, headers: {}, body: "" }

const recordOf = (
  request: HttpRequest,
  { operation, revision }: RequestContext,
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
  bytes: bytesOf(answer),
  client: request.peer?.remoteAddress,
  traceId: trace?.traceId
})

const bytesOf = ({ body, headers }: HttpAnswer): number => {
  const length = headers["content-length"]
  return length === undefined || body === "" ? bodyBytes(body) : Number(length)
}

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
const processName = Array.from(
  crypto.getRandomValues(new Uint8Array(6)),
  (byte) => byte.toString(16).padStart(2, "0")
).join("")
