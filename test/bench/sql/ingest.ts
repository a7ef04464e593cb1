import { Client } from "pg"
import { parseArgs } from "node:util"
import { startCluster } from "../../postgres/cluster.ts"
import { ingestLedger } from "./_sql_ledger.ts"
import { settings } from "./sql.ts"

/*
 * Measures whether `ingest` stays level as a database grows. For each tenth it prints the rate, and
 * what a thousand transactions cost the database in units that do not depend on other load of the
 * machine. To measure with fewer transactions, set less memory in proportion:
 *
 *     node test/bench/sql/ingest.ts --rows 1000000 --shared-buffers 100MB --max-wal-size 400MB
 */
const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "10000000" },
    "shared-buffers": { type: "string", default: settings.shared_buffers },
    "max-wal-size": { type: "string", default: settings.max_wal_size }
  }
})
const rows = Number(values.rows)

interface Work {
  readonly walBytes: number
  readonly fullPages: number
  readonly pagesRead: number
}
const workStatement = `
SELECT wal_bytes::float8 AS "walBytes", wal_fpi::float8 AS "fullPages", blks_read::float8 AS "pagesRead"
FROM pg_stat_wal CROSS JOIN pg_stat_database WHERE datname = current_database()`

const cluster = await startCluster({
  settings: {
    ...settings,
    shared_buffers: values["shared-buffers"],
    max_wal_size: values["max-wal-size"]
  }
})
try {
  const url = await cluster.createDatabase()
  const client = new Client(url)
  await client.connect()
  const work = async () => (await client.query<Work>(workStatement)).rows[0]!
  let [before, from, tenthMs] = [await work(), 0, 0]
  console.log("transactions       /s   for each 1,000: KiB of WAL, full pages in it, pages read")
  const ledger = await ingestLedger(url, rows, async (transactions, ms) => {
    tenthMs += ms
    if (transactions - from < rows / 10 && transactions < rows) return
    const after = await work()
    const thousands = (transactions - from) / 1000
    const each = (name: keyof Work, unit = 1) =>
      ((after[name] - before[name]) / unit / thousands).toFixed(1).padStart(8)
    const rate = (thousands * 1e6 / tenthMs).toFixed(0).padStart(8)
    console.log(
      `${String(transactions).padStart(12)} ${rate} ${each("walBytes", 1024)} ${
        each("fullPages")
      } ${each("pagesRead")}`
    )
    ;[before, from, tenthMs] = [after, transactions, 0]
  })
  await ledger.close()
  await client.end()
} finally {
  await cluster.remove()
}
