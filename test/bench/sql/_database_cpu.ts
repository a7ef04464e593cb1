import type { Client } from "pg"
import { readFileSync } from "node:fs"

/** Milliseconds of CPU time that the other connections of the database have used. Needs Linux. */
export const databaseCpuMs = async (client: Client): Promise<number> => {
  const { rows: backends } = await client.query<{ readonly pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
  )
  return backends.reduce((sum, { pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]!.split(" ")
    // clock ticks of 10 ms
    return sum + 10 * (Number(fields[11]) + Number(fields[12]))
  }, 0)
}
