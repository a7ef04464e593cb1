import { startCluster } from "../../postgres/cluster.ts"
import { execute } from "../../postgres/_statements.ts"
import { settings } from "./_database.ts"
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
 * Measures the service over its own PostgreSQL: ingest and its cost for other networks, the bytes of
 * tables, rollbacks, pages in process, and requests.
 */
export const benchSql = async ({ quick, rows }: SqlBenchOptions): Promise<void> => {
  await using cluster = await startCluster({ settings })
  const large = await ingestLedger(await cluster.createDatabase(), rows)
  const small = await ingestLedger(await cluster.createDatabase(), 10_000)
  const ledgers = [small, large]
  for (const ledger of ledgers) ledger.showIngest()
  await benchNetworks(cluster, { rounds: quick ? 1 : 5, rows: 20_000 })
  // finishes background work after so many new rows before the measurements
  for (const { url } of ledgers) await execute(url, "VACUUM (ANALYZE)")
  for (const ledger of ledgers) await benchSize(ledger)
  for (const ledger of ledgers) await benchRollBack(ledger, quick ? 5 : 15)
  await benchPages(ledgers, quick ? 20 : 100)
  await makePlainTable(large.url)
  await benchWindow(large, quick ? 3 : 9)
  for (const ledger of ledgers) await ledger.close()
  await benchSqlHttp(large.url, { rounds: quick ? 3 : 9, durationMs: quick ? 500 : 1500 })
}
