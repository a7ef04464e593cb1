import { execute } from "../../postgres/_statements.ts"
import { load } from "../_load.ts"
import { type Asked, type Conditions, type Rounds, showRates } from "../_rates.ts"
import { cpuMs } from "../_servers.ts"

/**
 * The memory of a small server; with the defaults it would mostly use the kernel's cache. The other
 * settings are those of `app/OPERATIONS.md`. Durability is the default.
 */
export const settings = {
  shared_buffers: "1GB",
  max_wal_size: "4GB",
  checkpoint_timeout: "30min",
  // counts the statements of a request
  shared_preload_libraries: "pg_stat_statements"
}

/** Milliseconds of CPU time that the other connections of the database have used. Needs Linux. */
export const databaseCpuMs = async (url: string): Promise<number> => {
  const backends = await execute(
    url,
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
  )
  return backends.reduce((sum, { pid }) => sum + cpuMs(Number(pid)), 0)
}

/** Returns how many statements with parameters the database has run, and the buffers that they read. */
const statementsRun = async (url: string) => {
  const [row] = await execute(
    url,
    "CREATE EXTENSION IF NOT EXISTS pg_stat_statements",
    "SELECT coalesce(sum(calls), 0) AS count, coalesce(sum(shared_blks_hit + shared_blks_read), 0) AS buffers FROM pg_stat_statements WHERE query LIKE '%$1%' AND query NOT LIKE '%pg_stat%' AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())"
  )
  return { count: Number(row!.count), buffers: Number(row!.buffers) }
}

/** Returns the statements with parameters that the database runs for something, and their buffers. */
export const statementsOf = async (url: string, ask: () => Promise<unknown>) => {
  const before = await statementsRun(url)
  await ask()
  const after = await statementsRun(url)
  return { count: after.count - before.count, buffers: after.buffers - before.buffers }
}

/** Shows the same as `showRates`, and what a request costs the database of both servers. */
export const showDatabaseRates = async (
  url: string,
  conditions: Conditions,
  ours: Asked,
  peer: Asked,
  rounds: Rounds
): Promise<void> => {
  const { also = [], connections = 32 } = conditions
  const costOf = async ({ paths, server: { port } }: Asked) => {
    const before = await databaseCpuMs(url)
    let answers = 0
    const statements = await statementsOf(url, async () => {
      ;({ answers } = await load({ port, paths, connections, durationMs: 1000 }))
    })
    const cpuUs = (await databaseCpuMs(url) - before) * 1000 / answers
    return { statements: statements.count / answers, cpuUs: cpuUs.toFixed(0) }
  }
  const [own, theirs] = [await costOf(ours), await costOf(peer)]
  const cost = `${own.cpuUs} ÷ ${theirs.cpuUs} µs of the database's CPU time a request`
  const shown = { ...conditions, statements: own.statements, also: [cost, also].flat().join("; ") }
  await showRates(shown, ours, peer, rounds)
}
