import { tmpdir } from "node:os"
import { memoryDirectory } from "./memory_directory.ts"
import { askRun } from "./_run.ts"
import { type Cluster, type ClusterOptions, startCluster, type Template } from "./cluster.ts"

/**
 * Starts a cluster for one test file: from the template of the run, in memory. The log of a durable
 * one is on disk, where commits wait for it; tables stay in memory, because creating their thousand
 * files on disk takes longer than the tests.
 */
export const startOwnCluster = async (
  options: Pick<ClusterOptions, "durable" | "settings"> = {}
): Promise<Cluster> =>
  startCluster({
    ...options,
    template: JSON.parse(await askRun("template")) as Template,
    parentDirectory: memoryDirectory(),
    ...options.durable === false ? {} : { logParentDirectory: tmpdir() }
  })
