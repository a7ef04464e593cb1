import { parseArgs } from "node:util"
import { startCluster } from "../../postgres/cluster.ts"
import { execute } from "../../postgres/_statements.ts"
import { databaseCpuMs, settings } from "./_database.ts"
import { ingestLedger, network } from "./_sql_ledger.ts"

/*
 * Measures whether `ingest` stays level as a database grows. For each tenth it prints the rate, and
 * what a thousand transactions cost the database in units that depend less on other load of the
 * machine: CPU time of the connections of `ingest`, the log, and pages that these connections read and
 * evict, without those of autovacuum. Then it prints which tables and indexes were read in the last
 * tenth, by any process. Needs Linux. To measure with fewer transactions, set less memory in proportion:
 *
 *     node test/bench/sql/ingest.ts --rows 1000000 --shared-buffers 100MB --max-wal-size 400MB
 */
const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "10000000" },
    "shared-buffers": { type: "string", default: settings.shared_buffers },
    "max-wal-size": { type: "string", default: settings.max_wal_size },
    users: { type: "string", default: String(network.users) },
    "block-size": { type: "string", default: String(network.transactionsPerBlock) }
  }
})
const rows = Number(values.rows)

const workStatement = `
SELECT wal_bytes::float8 / 1024 AS "walKiB", wal_fpi::float8 AS "fullPages", "pagesRead", "pagesEvicted"
FROM pg_stat_wal CROSS JOIN (
  SELECT sum(reads)::float8 AS "pagesRead", sum(evictions)::float8 AS "pagesEvicted"
  FROM pg_stat_io WHERE backend_type = 'client backend' AND context = 'normal' AND object = 'relation'
) AS io`

const relationsStatement = `
SELECT relname AS name, heap_blks_read::float8 AS read FROM pg_statio_user_tables
UNION ALL SELECT indexrelname, idx_blks_read::float8 FROM pg_statio_user_indexes`

await using cluster = await startCluster({
  settings: {
    ...settings,
    shared_buffers: values["shared-buffers"],
    max_wal_size: values["max-wal-size"]
  }
})
const url = await cluster.createDatabase()
const work = async (): Promise<Readonly<Record<string, number>>> => ({
  cpuMs: await databaseCpuMs(url),
  ...(await execute(url, workStatement))[0]!
})
const relations = async () =>
  new Map((await execute(url, relationsStatement)).map(({ name, read }) => [name, Number(read)]))
let [before, from, tenthMs] = [await work(), 0, 0]
let [readBefore, readAfter] = [await relations(), await relations()]
const options = {
  ...network,
  users: Number(values.users),
  transactionsPerBlock: Number(values["block-size"])
}
const ledger = await ingestLedger(url, rows, async (transactions, { ms }) => {
  tenthMs += ms
  if (transactions - from < rows / 10 && transactions < rows) return
  const after = await work()
  const thousands = (transactions - from) / 1000
  console.log(
    `${transactions} transactions, ${(thousands * 1e6 / tenthMs).toFixed(0)}/s; for each 1,000:`,
    Object.entries(after).map(([name, value]) =>
      `${name} ${((value - before[name]!) / thousands).toFixed(1)}`
    ).join(", ")
  )
  ;[readBefore, readAfter] = [readAfter, await relations()]
  ;[before, from, tenthMs] = [after, transactions, 0]
}, options)
const read = [...readAfter].map(([name, pages]) =>
  [name, pages - (readBefore.get(name) ?? 0)] as const
)
console.log("Pages that were read in the last tenth:")
for (const [name, pages] of read.sort((a, b) => b[1] - a[1]).slice(0, 8)) {
  console.log(`  ${name} ${pages}`)
}
await ledger.close()
