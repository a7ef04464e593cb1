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

/** The status in logs and metrics if the client disconnected before the answer. */
export const abandonedStatus = 499

/** Number of requests whose answers are being computed. */
export interface InFlight {
  count: number
}

interface Counts {
  readonly byStatus: Map<number, number>
  readonly durations: Distribution
}

/** Counts requests by operation, revision and status. Counting a request is cheap. */
export class RequestCounts {
  readonly #byRevision = new Map<string, Map<string, Counts>>()
  readonly #problems = new Map<ProblemName, number>()
  /** Number of hits of each limit. All start at 0, so that an alert sees the first hit. */
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
  counts: RequestCounts,
  inFlight: InFlight
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.andThen(
    measure(
      gauge(
        "rollup_http_requests_in_flight",
        "Requests whose answers are being computed",
        () => inFlight.count
      ),
      ...Struct.keys(counts.limits).map((limit) => limitHits(limit, () => counts.limits[limit]))
    ),
    collect("rollup_http_requests_total", Effect.sync(() => counts.series()))
  )
