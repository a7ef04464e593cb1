import { Effect, type Scope } from "effect"
import type { Readiness } from "../../adapters/admin/mod.ts"
import { type OpenMonitor, snapshotSeries } from "../../adapters/metrics/mod.ts"
import { counter, gauge, type Health } from "../../core/mod.ts"
import type { WorkerGroup } from "./group.ts"

/**
 * Time for a worker to report. Its own collectors and checks time out after 2 seconds, so a report
 * that takes longer comes from a worker whose event loop is blocked.
 */
const reportMaxMs = 3000

/** Timeout for a monitor of a group: longer than that of a report. */
export const groupTimeoutMs = reportMaxMs + 500

/**
 * Registers the metrics of all workers with the label `worker`, and a health check of the group,
 * until the scope closes.
 */
export const monitorGroup = Effect.fnUntraced(
  function*(group: WorkerGroup, monitor: OpenMonitor): Effect.fn.Return<void, never, Scope.Scope> {
    const numbers = Array.from({ length: group.workers }, (_, i) => i + 1)
    yield* monitor.collect(
      "workers",
      Effect.map(group.reports("metrics", reportMaxMs), (reports) => [
        ...[...reports].flatMap(([number, snapshot]) =>
          snapshotSeries(snapshot, { worker: String(number) })
        ),
        gauge("rollup_workers", "Workers that answered this scrape", () => reports.size)
      ])
    )
    yield* monitor.measure(
      gauge("rollup_workers_configured", "Configured number of workers", () => group.workers),
      ...numbers.map((number) =>
        counter(
          "rollup_worker_restarts_total",
          "Restarts of a worker by the supervisor",
          () => group.restarts(number),
          { worker: String(number) }
        )
      )
    )
    yield* monitor.check(
      "workers",
      Effect.map(
        group.reports("readiness", reportMaxMs),
        (reports) => groupHealth(numbers, reports)
      )
    )
  }
)

/** Returns `failing` if no worker is ready, and `degraded` if a worker is not ready or degraded. */
const groupHealth = (
  numbers: ReadonlyArray<number>,
  reports: ReadonlyMap<number, Readiness>
): Health => {
  const ready = numbers.filter((number) => {
    const state = reports.get(number)?.state
    return state === "ok" || state === "degraded"
  })
  const isWhole = numbers.every((number) => reports.get(number)?.state === "ok")
  return {
    state: ready.length === 0 ? "failing" : isWhole ? "ok" : "degraded",
    detail: [
      `${ready.length} of ${numbers.length} workers are ready`,
      ...numbers.flatMap((number) => faultsOf(number, reports.get(number)))
    ].join("; ")
  }
}

const faultsOf = (number: number, report: Readiness | undefined): ReadonlyArray<string> => {
  if (report === undefined) return [`worker ${number} does not answer`]
  if (report.state === "starting" || report.state === "stopping") {
    return [`worker ${number} is ${report.state}`]
  }
  return Object.entries(report.checks).flatMap(([check, { detail, state }]) =>
    state === "ok" ? [] : [`worker ${number}: ${check} is ${state}: ${detail}`]
  )
}
