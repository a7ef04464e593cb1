import { startCluster } from "../../postgres/cluster.ts"
import { execute } from "../../postgres/_statements.ts"
import { benchSqlHttp } from "./_sql_http.ts"
import { ingestLedger } from "./_sql_ledger.ts"
import { benchNetworks } from "./_sql_networks.ts"
import { benchPages } from "./_sql_pages.ts"
import { benchRollBack } from "./_sql_roll_back.ts"
import { benchSize } from "./_sql_size.ts"
import { benchWindow, makePlainTable } from "./_sql_window.ts"

export interface SqlBenchOptions {
  /** Transactions of the large ledger; the small one has 10,000. */
  readonly rows: number
  readonly quick: boolean
}

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

/** Measures the service over its own PostgreSQL. */
export const benchSql = async ({ quick, rows }: SqlBenchOptions): Promise<void> => {
  await using cluster = await startCluster({ settings })
  const [version] = await execute(cluster.url, "SHOW server_version")
  console.log(
    `\nPostgreSQL ${
      version!.server_version
    }: transactions stored each second, checks included, durable, ${settings.shared_buffers} shared buffers (blocks are generated outside of the clock; no HTTP)`
  )
  const large = await ingestLedger(await cluster.createDatabase(), rows)
  const small = await ingestLedger(await cluster.createDatabase(), 10_000)
  for (const ledger of [small, large]) ledger.showIngest()

  console.log(
    "\nNetworks: milliseconds of CPU time to ingest 1,000 transactions, rollbacks included (Node with its threads; blocks are generated outside of the clock)"
  )
  await benchNetworks(cluster, { rounds: quick ? 1 : 5, rows: 20_000 })

  // finishes background work after so many new rows before the measurements
  for (const { url } of [small, large]) await execute(url, "VACUUM (ANALYZE)")

  console.log(
    "\nSize: all tables with their indexes ÷ the transactions alone without an index (the divisor finds nothing)"
  )
  for (const ledger of [small, large]) await benchSize(ledger)

  console.log(
    "\nRollback: milliseconds, with what it puts back (one transaction of the database; the pool is not there)"
  )
  for (const ledger of [small, large]) await benchRollBack(ledger, quick ? 5 : 15)

  console.log(
    "\nPages: 20 items, first, middle and last, in ledgers of two sizes: slowest ÷ fastest median (in process, one at a time, warm; no HTTP)"
  )
  await benchPages([small, large], quick ? 20 : 100)

  console.log(
    "\nOne query: 20 transactions of a heavy address ÷ the same with COUNT(*) OVER () and a join, prepared, sorting in memory"
  )
  await makePlainTable(large.url)
  await benchWindow(large, quick ? 3 : 9)

  await small.close()
  await large.close()
  console.log(
    "\nHTTP over PostgreSQL: ours ÷ node:http and pg by hand (the peer checks no parameter and does not count what follows)"
  )
  await benchSqlHttp(large.url, { rounds: quick ? 3 : 9, durationMs: quick ? 500 : 1500 })
}
