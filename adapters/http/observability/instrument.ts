import { Effect, Exit, type Tracer } from "effect"
import { bodyBytes, type HttpAnswer, type HttpRequest } from "../message/mod.ts"
import { abandoned, type InFlight, RequestCounts } from "./request_counts.ts"
import type { Observing, RequestRecord } from "./telemetry_options.ts"
import { beginSpan, endSpan, traceParent, within } from "./_trace.ts"

/** What answering finds out about a request. */
export interface Seen {
  operation: string
  revision: string
}

export interface ObservedOptions {
  readonly inFlight: InFlight
  /** Null where nobody counts. */
  readonly counts: RequestCounts | null
  readonly observing: Observing
  readonly answer: (request: HttpRequest, seen: Seen) => Effect.Effect<HttpAnswer>
  /** The operation that a request asks for, without doing it. */
  readonly operationOf: (request: HttpRequest) => string
}

/** Names of the headers that are added to answers. */
export const toldHeaders = (
  { log, serverTiming, traces }: Observing
): ReadonlyArray<string> => [
  ...log !== undefined || serverTiming === true || traces !== undefined ? ["X-Request-Id"] : [],
  ...serverTiming === true ? ["Server-Timing"] : []
]

/** Counts, logs, times and traces what is answered, as far as somebody wants it; else only what waits for its answer is counted. */
export const observed = (
  { answer, counts, inFlight, observing, operationOf }: ObservedOptions
): (request: HttpRequest) => Effect.Effect<HttpAnswer> => {
  const { log, serverTiming = false, traces } = observing
  const areAllTold = log !== undefined || serverTiming
  if (counts === null && !areAllTold && traces === undefined) {
    const unseen: Seen = { operation: "", revision: "" }
    return (request) => {
      const begun = answer(request, unseen)
      return isThere(begun) ? begun : counted(inFlight, begun, () => {})
    }
  }

  // what nobody asks for is counted all the same where something else is told
  const counting = counts ?? new RequestCounts()
  return (request) => {
    const seen: Seen = { operation: "none", revision: "" }
    const startedMs = performance.now()
    const parent = areAllTold || traces !== undefined ? traceParent(request) : undefined
    const span = traces === undefined
      ? undefined
      : beginSpan(traces, () => operationOf(request), parent)
    const ended = (answered: HttpAnswer | undefined): HttpAnswer => {
      const durationMs = performance.now() - startedMs
      const status = answered?.status ?? abandoned
      counting.add(seen.revision, seen.operation, status, answered ?? none, durationMs / 1000)
      if (!areAllTold && span === undefined) return answered!
      const record = recordOf(request, seen, answered, status, durationMs, span ?? parent)
      log?.(record)
      if (span !== undefined) endSpan(span, record)
      if (answered === undefined) return none
      const headers = { ...answered.headers, "x-request-id": record.id }
      return {
        ...answered,
        headers: serverTiming
          ? { ...headers, "server-timing": `app;dur=${durationMs.toFixed(3)}` }
          : headers
      }
    }

    const begun = answer(request, seen)
    // what was kept ready is here already: no fiber is asked
    if (isThere(begun)) return Exit.isSuccess(begun) ? Effect.succeed(ended(begun.value)) : begun
    const whole = counted(
      inFlight,
      span === undefined ? begun : within(begun, traces!, span),
      (exit) => {
        // who is interrupted has left
        if (Exit.isFailure(exit)) ended(undefined)
      }
    )
    return Effect.map(whole, ended)
  }
}

const counted = (
  inFlight: InFlight,
  answer: Effect.Effect<HttpAnswer>,
  ended: (exit: Exit.Exit<HttpAnswer>) => void
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
        ended(exit)
      })
  )
}

const isThere = (effect: Effect.Effect<HttpAnswer>): effect is Exit.Exit<HttpAnswer> =>
  Exit.isExit(effect)

const none: HttpAnswer = { status: abandoned, headers: {}, body: "" }

const recordOf = (
  request: HttpRequest,
  { operation, revision }: Seen,
  answer: HttpAnswer | undefined,
  status: number,
  durationMs: number,
  trace: Tracer.AnySpan | undefined
): RequestRecord => ({
  id: idOf(request),
  method: request.method,
  url: request.url,
  operation,
  revision,
  status,
  problem: answer?.problem,
  durationMs,
  bytes: answer === undefined ? 0 : bytesOf(answer),
  client: request.peer?.remoteAddress,
  traceId: trace?.traceId
})

const bytesOf = ({ body, headers }: HttpAnswer): number => {
  const length = headers["content-length"]
  return length === undefined || body === "" ? bodyBytes(body) : Number(length)
}

/** That of the client, so that its log and ours tell of the same request; ours where it has none, or none that is harmless in a log. All of ours are as long. */
const idOf = ({ headers }: HttpRequest): string => {
  const given = headers["x-request-id"]
  return typeof given === "string" && /^[\w.:-]{1,64}$/u.test(given)
    ? given
    : `${processName}-${(++requests).toString(36).padStart(7, "0")}`
}

let requests = 0
/** Tells the requests of this process from those of others, and of the one before it. */
const processName = Array.from(
  crypto.getRandomValues(new Uint8Array(6)),
  (byte) => byte.toString(16).padStart(2, "0")
).join("")
