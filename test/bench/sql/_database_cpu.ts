import { execute } from "../../postgres/_statements.ts"
import { cpuMs } from "../_servers.ts"

/** Milliseconds of CPU time that the other connections of the database have used. Needs Linux. */
export const databaseCpuMs = async (url: string): Promise<number> => {
  const backends = await execute(
    url,
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
  )
  return backends.reduce((sum, { pid }) => sum + cpuMs(Number(pid)), 0)
}
