import cluster from "node:cluster"
import { availableParallelism } from "node:os"
import type { Readiness } from "../../adapters/admin/mod.ts"
import type { MetricSnapshot } from "../../adapters/metrics/mod.ts"

/** The number of a worker, and of how many. */
export interface WorkerRole {
  /** Number of this worker, from 1. */
  readonly number: number
  readonly workers: number
}

/** What a worker reports to its supervisor on request. */
export interface WorkerReports {
  readonly metrics: MetricSnapshot
  readonly readiness: Readiness
}

/**
 * A message of a worker to its supervisor: it can be drained from now on, can be asked for reports,
 * serves an address, or sends a report.
 */
export type WorkerMessage =
  | { readonly kind: "started" }
  | { readonly kind: "reporting" }
  | { readonly kind: "serving"; readonly address: string }
  | { readonly kind: "report"; readonly id: number; readonly report: unknown }

/**
 * A message of the supervisor to a worker: finish the requests that have been received and exit, or
 * send a report.
 */
export type SupervisorMessage =
  | { readonly kind: "drain" }
  | { readonly kind: "report"; readonly id: number; readonly subject: keyof WorkerReports }

/** Returns the number of processes that a setting stands for. */
export const workerCount = (workers: number | "cores"): number =>
  workers === "cores" ? availableParallelism() : workers

/** Whether this process starts workers instead of serving itself. */
export const isSupervisor = (workers: number | "cores"): boolean =>
  workerCount(workers) > 1 && !cluster.isWorker

/** Whether a supervisor started this process and decides when it ends. */
export const isWorker = (): boolean => workerRole() !== undefined

const variable = "WORKER_ROLE"

/** Returns the environment variable with the role of a new worker. */
export const roleEnvironment = (
  { number, workers }: WorkerRole
): { readonly [name: string]: string } => ({ [variable]: `${number}/${workers}` })

/** Returns the role of this process; undefined if `supervise` did not start it. */
export const workerRole = (): WorkerRole | undefined => {
  const role = process.env[variable]
  if (!cluster.isWorker || role === undefined) return undefined
  const [number, workers] = role.split("/").map(Number) as [number, number]
  return { number, workers }
}
