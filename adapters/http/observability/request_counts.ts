import { Effect, type Scope, Struct } from "effect"
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
import type { HttpAnswer, LimitName, ProblemName } from "../message/mod.ts"

/**
 * Seconds: most answers take less than a millisecond, one that takes seconds has waited for
 * something.
 */
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

/** What stands for the status of a request whose client left before there was an answer. */
export const abandoned = 499

/** Requests that wait for their answers. */
export interface InFlight {
  count: number
}

interface Counts {
  /** By status. */
  readonly answered: Map<number, number>
  readonly durations: Distribution
}

/**
 * Counts requests by operation, revision and status: plain numbers, since each request pays for
 * them.
 */
export class RequestCounts {
  readonly #byRevision = new Map<string, Map<string, Counts>>()
  readonly #problems = new Map<ProblemName, number>()
  /** Each one from the start, at 0: an alert can only see what grows. */
  readonly limits: { [Name in LimitName]: number } = {
    urlBytesMax: 0,
    headerBytesMax: 0,
    bodyBytesMax: 0,
    jsonDepthMax: 0,
    listItemsMax: 0,
    requestsMax: 0,
    headersTimeoutMs: 0,
    requestTimeoutMs: 0,
    queueDelayTargetMs: 0,
    ratePerSecondMax: 0
  }

  add(
    revision: string,
    operation: string,
    status: number,
    { limit, problem }: Pick<HttpAnswer, "limit" | "problem">,
    seconds: number
  ): void {
    const counts = this.#countsOf(revision, operation)
    counts.answered.set(status, (counts.answered.get(status) ?? 0) + 1)
    counts.durations.observe(seconds)
    if (problem !== undefined) this.#problems.set(problem, (this.#problems.get(problem) ?? 0) + 1)
    if (limit !== undefined) this.limits[limit]++
  }

  #countsOf(revision: string, operation: string): Counts {
    let byOperation = this.#byRevision.get(revision)
    if (byOperation === undefined) this.#byRevision.set(revision, byOperation = new Map())
    let counts = byOperation.get(operation)
    if (counts === undefined) {
      counts = { answered: new Map(), durations: new Distribution(boundsSeconds) }
      byOperation.set(operation, counts)
    }
    return counts
  }

  /** What was counted so far: which labels there are depends on the requests. */
  *series(): Generator<Series> {
    for (const [revision, byOperation] of this.#byRevision) {
      for (const [operation, { answered, durations }] of byOperation) {
        for (const [status, value] of answered) {
          yield counter(
            "rollup_http_requests_total",
            "Requests that were answered, by operation, revision and status; 499 where the client left first",
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
        "Requests that were refused, by the type of the problem",
        () => value,
        { problem }
      )
    }
  }
}

/** Registers the metrics of requests until the scope closes. */
export const measureRequests = (
  counts: RequestCounts,
  inFlight: InFlight
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.andThen(
    measure(
      gauge(
        "rollup_http_requests_in_flight",
        "Requests that wait for their answer",
        () => inFlight.count
      ),
      ...Struct.keys(counts.limits).map((limit) => limitHits(limit, () => counts.limits[limit]))
    ),
    collect("rollup_http_requests_total", Effect.sync(() => counts.series()))
  )
