import { Effect, type Scope } from "effect"
import type { Readiness } from "../../adapters/admin/mod.ts"
import { type OpenMonitor, snapshotSeries } from "../../adapters/metrics/mod.ts"
import { counter, gauge, type Health } from "../../core/mod.ts"
import { reportMaxMs, type WorkerGroup } from "./group.ts"

/** Timeout for a monitor of a group. */
export const groupTimeoutMs = reportMaxMs + 500

/**
 * Registers the metrics of all workers with the label `worker`, and a health check of the group,
 * until the scope closes.
 */
export const monitorGroup = Effect.fnUntraced(
  function*(group: WorkerGroup, monitor: OpenMonitor): Effect.fn.Return<void, never, Scope.Scope> {
    const { numbers } = group
    yield* monitor.collect(
      "workers",
      Effect.map(group.reports("metrics"), (reports) => [
        ...[...reports].flatMap(([number, snapshot]) =>
          snapshotSeries(snapshot, { worker: String(number) })
        ),
        gauge("rollup_workers", "Workers that answered this scrape", () => reports.size)
      ])
    )
    yield* monitor.measure(
      gauge("rollup_workers_configured", "Configured number of workers", () => numbers.length),
      ...numbers.map((number) =>
        counter(
          "rollup_worker_restarts_total",
          "Restarts of a worker by the supervisor",
          () => group.restarts.get(number) ?? 0,
          { worker: String(number) }
        )
      )
    )
    yield* monitor.check(
      "workers",
      Effect.map(group.reports("readiness"), (reports) => groupHealth(numbers, reports))
    )
  }
)

/** Returns `failing` if no worker is ready, and `degraded` if a worker is not ready or degraded. */
const groupHealth = (
  numbers: ReadonlyArray<number>,
  reports: ReadonlyMap<number, Readiness>
): Health => {
  const states = numbers.map((number) => reports.get(number)?.state)
  const ready = states.filter((state) => state === "ok" || state === "degraded").length
  return {
    state: ready === 0 ? "failing" : states.every((state) => state === "ok") ? "ok" : "degraded",
    detail: [
      `${ready} of ${numbers.length} workers are ready`,
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
