import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { execute } from "./_statements.ts"
import { type Cluster, type ClusterOptions, startCluster } from "./cluster.ts"

/** A streaming standby: it answers reads, and writes after its promotion. */
export interface Standby {
  readonly cluster: Cluster
  /** Resolves when it has applied everything that the primary has written until now. */
  readonly catchUp: () => Promise<void>
  /** Makes it a primary. */
  readonly promote: () => Promise<void>
}

/**
 * Starts a standby of a cluster, with the same passwords. The primary is stopped for the copy of its
 * data: the package that the tests use has no `pg_basebackup`.
 */
export const startStandby = async (
  primary: Cluster,
  options: Pick<ClusterOptions, "durable" | "parentDirectory"> = {}
): Promise<Standby> => {
  const { password, port, username } = new URL(primary.url)
  await primary.stop()
  // copied with the data, it makes the copy a standby
  const signal = join(primary.dataDir, "standby.signal")
  await writeFile(signal, "")
  const cluster = await startCluster({
    ...options,
    template: { dataDir: primary.dataDir, password },
    settings: {
      primary_conninfo: `host=127.0.0.1 port=${port} user=${username} password=${password}`,
      // interval of attempts to reach the primary
      wal_retrieve_retry_interval: "100ms"
    }
  })
  await rm(signal)
  await primary.restart()
  return {
    cluster,
    catchUp: async () => {
      const [written] = await execute(primary.url, "SELECT pg_current_wal_flush_lsn()::text AS lsn")
      const isApplied = `SELECT pg_last_wal_replay_lsn() >= '${String(written!["lsn"])}' AS it`
      while ((await execute(cluster.url, isApplied))[0]!["it"] !== true);
    },
    promote: async () => void await execute(cluster.url, "SELECT pg_promote()")
  }
}
