import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { startCluster } from "../../postgres/cluster.ts"
import { execute } from "../../postgres/_statements.ts"
import type { Rounds } from "../_rates.ts"
import { type BenchServer, startNode, startServer } from "../_servers.ts"
import { settings, showDatabaseRates } from "./_database.ts"
import { heavyAccount, ingestLedger } from "./_sql_ledger.ts"
import { makePlainTable } from "./_sql_window.ts"

interface Page {
  readonly items: ReadonlyArray<number>
  readonly pendingItems: number
}

/** A server that counts all items that follow a page. */
interface Peer {
  readonly name: string
  readonly bound?: string
  readonly start: (url: string) => Promise<BenchServer>
  readonly pathFrom: (item: string) => string
  readonly read: (answer: unknown) => Page
}

const ourPath = (item: string): string =>
  `/transactions-history?accountIndex=zk:ETH:${heavyAccount}&fromItem=${item}&limit=20`

const readOurs = (answer: unknown): Page => {
  const { pendingItems, transactions } = answer as {
    readonly transactions: ReadonlyArray<{ readonly itemId: number }>
    readonly pendingItems: number
  }
  return { pendingItems, items: transactions.map(({ itemId }) => itemId) }
}

/** The members of a transaction, all of its columns. */
const members =
  "itemId rowId type position fromAccountIndex fromAddress fromPublicKey toAccountIndex toAddress toPublicKey tokenId amount historicUsd timestampMs queue userOrigin depositAmount amountSuccess depositAmountSuccess historicDepositAmountUsd ethereumBlockNum ethereumTxHash l1Fee fee historicFeeUsd nonce batchNum"

const peers: ReadonlyArray<Peer> = [
  {
    name: "Fastify and COUNT(*) OVER ()",
    bound: "≥ 200 at 10⁶",
    start: (url) => startServer(import.meta.resolve("./_fastify_server.ts"), [url]),
    pathFrom: ourPath,
    read: readOurs
  },
  {
    name: "PostGraphile with totalCount",
    start: (url) => startPostGraphile(url),
    pathFrom: (item) => {
      const query =
        `{transactionsOf(account:"${heavyAccount}",fromItem:"${item}",first:20){totalCount nodes{${members}}}}`
      return `/graphql?query=${encodeURIComponent(query)}`
    },
    read: (answer) => {
      const { data: { transactionsOf: { nodes, totalCount } } } = answer as {
        readonly data: {
          readonly transactionsOf: {
            readonly totalCount: number
            readonly nodes: ReadonlyArray<{ readonly itemId: string }>
          }
        }
      }
      return {
        pendingItems: totalCount - nodes.length,
        items: nodes.map(({ itemId }) => Number(itemId))
      }
    }
  }
]

/**
 * Installs PostGraphile, which only this peer needs, creates the function that it serves as a list,
 * and starts it.
 */
const startPostGraphile = async (url: string): Promise<BenchServer> => {
  const cwd = join(import.meta.dirname, "postgraphile")
  if (!existsSync(join(cwd, "node_modules"))) {
    execFileSync("npm", ["install", "--no-package-lock"], { cwd, stdio: "inherit" })
  }
  await execute(
    url,
    `CREATE FUNCTION plain.transactions_of(account bigint, from_item bigint) RETURNS SETOF plain.transaction STABLE LANGUAGE sql AS
$$SELECT * FROM plain.transaction WHERE (from_account_index = account OR to_account_index = account) AND item_id >= from_item ORDER BY item_id$$`
  )
  const env = { ...process.env, GRAPHILE_ENV: "production" }
  return startServer(import.meta.resolve("./postgraphile/server.js"), [url], { env })
}

/**
 * Measures pages around the middle of the account with the most transactions, ours ÷ each peer, over
 * one PostgreSQL. "From the database" caches no answer.
 */
export const benchPeers = async (
  { rows, ...rounds }: Rounds & { readonly rows: number }
): Promise<void> => {
  await using cluster = await startCluster({ settings })
  const ledger = await ingestLedger(await cluster.createDatabase(), rows)
  const { transactions, url } = ledger
  await makePlainTable(url)
  await ledger.close()
  const items = (await execute(
    url,
    `
WITH found AS (SELECT item_id FROM plain.transaction WHERE from_account_index = ${heavyAccount} OR to_account_index = ${heavyAccount})
SELECT item_id FROM found ORDER BY item_id OFFSET (SELECT count(*) / 2 FROM found) LIMIT 64`
  )).map(({ item_id }) => String(item_id))
  for (const { bound, name, pathFrom, read, start } of peers) {
    await using peer = await start(url)
    for (const [kind, bytesMax] of [["from the database", 0], ["cached", 2 ** 26]] as const) {
      await using ours = await startNode(["database", bytesMax, url])
      const answer = async ({ port }: BenchServer, path: string): Promise<unknown> =>
        (await fetch(`http://127.0.0.1:${port}${path}`)).json()
      const own = readOurs(await answer(ours, ourPath(items[0]!)))
      const theirs = read(await answer(peer, pathFrom(items[0]!)))
      assert.deepEqual(theirs, own, `${name} answers otherwise`)
      await showDatabaseRates(
        url,
        {
          name: `deep page, ${kind} ÷ ${name}`,
          bound: kind === "cached" ? undefined : bound,
          also: `${transactions} transactions`
        },
        { server: ours, paths: items.map(ourPath) },
        { server: peer, paths: items.map(pathFrom) },
        rounds
      )
    }
  }
}
