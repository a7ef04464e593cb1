import { memoryPlace } from "./memory_place.ts"
import { askRun } from "./_run.ts"
import { type Cluster, type ClusterOptions, startCluster, type Template } from "./cluster.ts"

/** A cluster for a test file of its own: from the template of the run, on the disk where it is durable and else in memory. */
export const startOwnCluster = async (options: Pick<ClusterOptions, "durable" | "settings"> = {}): Promise<Cluster> =>
  startCluster({ ...options, template: JSON.parse(await askRun("template")) as Template, ...options.durable === false ? { place: memoryPlace() } : {} })
