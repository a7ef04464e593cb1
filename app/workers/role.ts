import cluster from "node:cluster"
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
