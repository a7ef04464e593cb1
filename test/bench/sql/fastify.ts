import assert from "node:assert/strict"
import { Client } from "pg"
import { startCluster } from "../../postgres/cluster.ts"
import { benchPaths } from "../http/http.ts"
import { startServer } from "../_servers.ts"
import { heavyAccount, ingestLedger, type SqlLedger } from "./_sql_ledger.ts"
import { makePlainTable } from "./_sql_window.ts"

/** Pages around the middle of the account with the most transactions. */
const variants = 64

interface Rounds {
  readonly rounds: number
  readonly durationMs: number
}

/** Runs `benchDeepPages` over its own PostgreSQL. */
export const benchFastify = async (
  { rows, ...options }: Rounds & { readonly rows: number }
): Promise<void> => {
  const cluster = await startCluster({ settings: { shared_buffers: "1GB", max_wal_size: "4GB" } })
  try {
    const ledger = await ingestLedger(await cluster.createDatabase(), rows)
    await makePlainTable(ledger.url)
    await ledger.close()
    await benchDeepPages(ledger, options)
  } finally {
    await cluster.remove()
  }
}

/**
 * Measures deep pages, ours ÷ Fastify and `pg` with the single query of the original, over the same
 * database, which must have the plain table of `_sql_window.ts`. "From the database" caches no
 * answer.
 */
export const benchDeepPages = async (
  { transactions, url }: Pick<SqlLedger, "transactions" | "url">,
  options: Rounds
): Promise<void> => {
  const items = await middleItems(url)
  const paths = items.map((item) =>
    `/transactions-history?accountIndex=zk:ETH:${heavyAccount}&fromItem=${item}&limit=20`
  )
  const peer = await startServer(import.meta.resolve("./_fastify_server.ts"), [url])
  try {
    for (
      const [kind, answersBytesMax] of [["from the database", 0], ["cached", 64 * 2 ** 20]] as const
    ) {
      const ours = await startServer(import.meta.resolve("./_sql_server.ts"), [
        url,
        String(answersBytesMax)
      ])
      try {
        const [a, b] = await Promise.all(
          [ours.port, peer.port].map(async (port) =>
            (await fetch(`http://127.0.0.1:${port}${paths[0]}`)).json()
          )
        )
        assert.deepEqual(b, a, `The peer answers ${paths[0]} otherwise`)
        await benchPaths(
          `deep page, ${kind} ÷ Fastify and COUNT(*) OVER ()`,
          paths,
          ours,
          peer,
          {
            ...options,
            bound: kind === "cached" ? undefined : "≥ 200",
            also: `${transactions} transactions`
          }
        )
      } finally {
        await ours.stop()
      }
    }
  } finally {
    await peer.stop()
  }
}

const middleItems = async (url: string): Promise<ReadonlyArray<string>> => {
  const client = new Client(url)
  await client.connect()
  try {
    const { rows } = await client.query<{ item_id: string }>(
      `
WITH found AS (SELECT item_id FROM plain.transaction WHERE from_account_index = $1 OR to_account_index = $1)
SELECT item_id FROM found ORDER BY item_id OFFSET (SELECT count(*) / 2 FROM found) LIMIT $2`,
      [heavyAccount, variants]
    )
    return rows.map(({ item_id }) => item_id)
  } finally {
    await client.end()
  }
}
