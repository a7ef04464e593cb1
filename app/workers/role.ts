import cluster from "node:cluster"
import { availableParallelism } from "node:os"

/**
 * What a process of a group does: `writer` holds the stores and brings the blocks, a `follower` has the same in memory and serves it,
 * and each `peer` opens the same database as any process does.
 */
export interface Role {
  readonly kind: "writer" | "follower" | "peer"
  /** Names the ledger to clients, who may meet every process of the group. */
  readonly group: string
  /** Which one of them it is, from 1. */
  readonly place: number
  /** How many processes serve. */
  readonly workers: number
}

/** How many processes are meant. */
export const workersOf = (workers: number | "cores"): number => workers === "cores" ? availableParallelism() : workers

/** Whether this process, told to serve by so many, has others do so. */
export const isGroup = (workers: number | "cores"): boolean => workersOf(workers) > 1 && !cluster.isWorker

/** Where a worker finds its role. */
const variable = "SERVE_ROLE"

export const roleEnvironment = ({ group, kind, place, workers }: Role): { readonly [name: string]: string } =>
  ({ [variable]: `${kind} ${group} ${place} ${workers}` })

/** The role of this process; undefined where it is alone, or supervises. */
export const roleHere = (): Role | undefined => {
  const given = process.env[variable]
  if (!cluster.isWorker || given === undefined) return undefined
  const [kind, group, place, workers] = given.split(" ")
  return { kind: kind as Role["kind"], group: group!, place: Number(place), workers: Number(workers) }
}
