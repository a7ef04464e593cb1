import cluster from "node:cluster"
import { Effect, type Scope } from "effect"
import { availableParallelism } from "node:os"
import type { Readiness } from "../../adapters/admin/mod.ts"
import type { MetricSnapshot } from "../../adapters/metrics/mod.ts"

/** What a worker reports to its supervisor on request. */
export interface WorkerReports {
  readonly metrics: MetricSnapshot
  readonly readiness: Readiness
}

/** A message of a worker: it can be drained from now on, serves an address, or sends a report. */
export type WorkerMessage =
  | { readonly kind: "started" }
  | { readonly kind: "serving"; readonly address: string }
  | { readonly kind: "report"; readonly subject: keyof WorkerReports; readonly report: unknown }

/**
 * A message of the supervisor to a worker: finish the requests that have been received and exit, or
 * send a report.
 */
export type SupervisorMessage = "drain" | keyof WorkerReports

/** Returns the number of processes that a setting stands for. */
export const workerCount = (workers: number | "cores"): number =>
  workers === "cores" ? availableParallelism() : workers

/** Whether this process starts workers instead of serving itself. */
export const isSupervisor = (workers: number | "cores"): boolean =>
  workerCount(workers) > 1 && !cluster.isWorker

/** Environment variable with the number of a worker, from 1. */
export const numberVariable = "WORKER_NUMBER"

/** Whether a supervisor started this process and decides when it ends. */
export const isWorker = (): boolean => cluster.isWorker && process.env[numberVariable] !== undefined

/** This worker and its connection to the supervisor. */
export interface WorkerSelf {
  /** Number of this worker, from 1. */
  readonly number: number
  /** Reports to the supervisor that this worker answers requests at an address. */
  readonly serving: (address: string) => Effect.Effect<void>
  /** Answers requests of the supervisor for reports, until the scope closes. */
  readonly report: (reports: Reports) => Effect.Effect<void, never, Scope.Scope>
}

type Reports = { readonly [subject in keyof WorkerReports]: Effect.Effect<WorkerReports[subject]> }

/**
 * Runs a service as a worker until the supervisor drains it: then interrupts it, and lets the
 * process exit. Passes undefined if this process is not a worker.
 *
 * If the supervisor dies, Node ends the worker: it exits when the channel to its primary closes
 * without `worker.disconnect()`.
 */
export const runAsWorker = <A, E, R>(
  run: (self: WorkerSelf | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A | void, E, R> =>
  Effect.suspend(() => {
    const { worker } = cluster
    if (worker === undefined || !isWorker()) return run(undefined)
    const send = (message: WorkerMessage) => void worker.send(message)
    let reports: Reports | undefined
    const drained = Effect.callback<void>((resume) => {
      worker.on("message", (message: SupervisorMessage) => {
        if (message === "drain") return resume(Effect.void)
        if (reports === undefined) return
        const report: Effect.Effect<unknown> = reports[message]
        Effect.runFork(
          Effect.map(report, (report) => send({ kind: "report", subject: message, report }))
        )
      })
      send({ kind: "started" })
    })
    const self: WorkerSelf = {
      number: Number(process.env[numberVariable]),
      serving: (address) => Effect.sync(() => send({ kind: "serving", address })),
      report: (effects) =>
        Effect.acquireRelease(
          Effect.sync(() => void (reports = effects)),
          () => Effect.sync(() => reports = undefined)
        )
    }
    return Effect.raceFirst(drained, run(self)).pipe(
      // the supervisor hands connections that this worker did not accept to other workers first
      Effect.tap(Effect.sync(() => worker.disconnect()))
    )
  })
