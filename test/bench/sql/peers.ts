import assert from "node:assert/strict"
import { startCluster } from "../../postgres/cluster.ts"
import { execute } from "../../postgres/_statements.ts"
import { type Rounds, showRates } from "../_rates.ts"
import { startNode, startServer } from "../_servers.ts"
import { heavyAccount, ingestLedger } from "./_sql_ledger.ts"
import { makePlainTable } from "./_sql_window.ts"

interface Page {
  readonly transactions: ReadonlyArray<{ readonly itemId: number }>
  readonly pendingItems: number
}

/**
 * Measures pages around the middle of the account with the most transactions, ours ÷ a peer that
 * counts all items that follow a page, over one PostgreSQL. "From the database" caches no answer.
 */
export const benchPeers = async (
  { rows, ...rounds }: Rounds & { readonly rows: number }
): Promise<void> => {
  await using cluster = await startCluster({
    settings: { shared_buffers: "1GB", max_wal_size: "4GB" }
  })
  const ledger = await ingestLedger(await cluster.createDatabase(), rows)
  const { transactions, url } = ledger
  await makePlainTable(url)
  await ledger.close()
  const paths = (await execute(
    url,
    `
WITH found AS (SELECT item_id FROM plain.transaction WHERE from_account_index = ${heavyAccount} OR to_account_index = ${heavyAccount})
SELECT item_id FROM found ORDER BY item_id OFFSET (SELECT count(*) / 2 FROM found) LIMIT 64`
  )).map(({ item_id }) =>
    `/transactions-history?accountIndex=zk:ETH:${heavyAccount}&fromItem=${item_id}&limit=20`
  )
  await using peer = await startServer(import.meta.resolve("./_fastify_server.ts"), [url])
  for (const [kind, answersBytesMax] of [["from the database", 0], ["cached", 2 ** 26]] as const) {
    await using ours = await startNode(["database", answersBytesMax, url])
    const [own, theirs] = await Promise.all([ours, peer].map(async ({ port }) => {
      const answer = await fetch(`http://127.0.0.1:${port}${paths[0]}`)
      const { pendingItems, transactions } = await answer.json() as Page
      return { pendingItems, items: transactions.map(({ itemId }) => itemId) }
    }))
    assert.deepEqual(theirs, own, `The peer answers ${paths[0]} otherwise`)
    await showRates(
      {
        name: `deep page, ${kind} ÷ Fastify and COUNT(*) OVER ()`,
        bound: kind === "cached" ? undefined : "≥ 200 at 10⁶",
        also: `${transactions} transactions`
      },
      { server: ours, paths },
      { server: peer, paths },
      rounds
    )
  }
}
