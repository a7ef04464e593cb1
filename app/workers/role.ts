import cluster from "node:cluster"
import { availableParallelism } from "node:os"

/** Which worker of a group a process is. */
export interface WorkerRole {
  /** From 1. */
  readonly place: number
  readonly workers: number
}

/** From a worker to its supervisor: it can be drained from now on; it serves an address. */
export type WorkerMessage =
  | { readonly kind: "started" }
  | { readonly kind: "serving"; readonly address: string }

/** From a supervisor to a worker: finish the requests that have been received, then exit. */
export type SupervisorMessage = { readonly kind: "drain" }

/** Returns the number of processes that a setting stands for. */
export const workerCount = (workers: number | "cores"): number =>
  workers === "cores" ? availableParallelism() : workers

/** Whether this process starts workers instead of serving itself. */
export const isSupervisor = (workers: number | "cores"): boolean =>
  workerCount(workers) > 1 && !cluster.isWorker

/** Whether a supervisor started this process and decides when it ends. */
export const isWorker = (): boolean => workerRole() !== undefined

const variable = "WORKER_ROLE"

export const roleEnvironment = (
  { place, workers }: WorkerRole
): { readonly [name: string]: string } => ({ [variable]: `${place}/${workers}` })

/** Returns the role of this process; undefined if no supervisor of ours started it. */
export const workerRole = (): WorkerRole | undefined => {
  const role = process.env[variable]
  if (!cluster.isWorker || role === undefined) return undefined
  const [place, workers] = role.split("/").map(Number) as [number, number]
  return { place, workers }
}
