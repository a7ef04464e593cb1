import { tmpdir } from "node:os"
import { memoryPlace } from "./memory_place.ts"
import { askRun } from "./_run.ts"
import { type Cluster, type ClusterOptions, startCluster, type Template } from "./cluster.ts"

/**
 * A cluster for a test file of its own: from the template of the run, in memory, but for the log of one that is durable. That stands on the
 * disk, where commits wait for it; tables are written behind it, and to make their thousand files costs more than all that tests do with them.
 */
export const startOwnCluster = async (
  options: Pick<ClusterOptions, "durable" | "settings"> = {}
): Promise<Cluster> =>
  startCluster({
    ...options,
    template: JSON.parse(await askRun("template")) as Template,
    place: memoryPlace(),
    ...options.durable === false ? {} : { logPlace: tmpdir() }
  })
