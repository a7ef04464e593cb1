import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Client } from "pg"
import { startCluster } from "../../postgres/cluster.ts"
import { benchAsked, type Rounds } from "../http/http.ts"
import { type BenchServer, startServer } from "../_servers.ts"
import { heavyAccount, ingestLedger, type SqlLedger } from "./_sql_ledger.ts"
import { makePlainTable } from "./_sql_window.ts"

/** Pages around the middle of the account with the most transactions. */
const variants = 64

/** Runs `benchDeepPages` over its own PostgreSQL. */
export const benchPeers = async (
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

/** A server that counts all items that follow a page. */
interface Peer {
  readonly name: string
  readonly bound?: string
  readonly start: (url: string) => Promise<BenchServer>
  readonly pathFrom: (item: string) => string
  /** Returns the item ids of its answer, and the number of items behind the page. */
  readonly read: (answer: unknown) => Page
}

interface Page {
  readonly items: ReadonlyArray<number>
  readonly pendingItems: number
}

const ourPath = (item: string): string =>
  `/transactions-history?accountIndex=zk:ETH:${heavyAccount}&fromItem=${item}&limit=20`

interface OurAnswer {
  readonly transactions: ReadonlyArray<{ readonly itemId: number }>
  readonly pendingItems: number
}

const readOurs = (answer: unknown): Page => {
  const { pendingItems, transactions } = answer as OurAnswer
  return { items: transactions.map(({ itemId }) => itemId), pendingItems }
}

const members = [
  "itemId rowId type position fromAccountIndex fromAddress fromPublicKey toAccountIndex toAddress",
  "toPublicKey tokenId amount historicUsd timestampMs queue userOrigin depositAmount amountSuccess",
  "depositAmountSuccess historicDepositAmountUsd ethereumBlockNum ethereumTxHash l1Fee fee",
  "historicFeeUsd nonce batchNum"
].join(" ")

interface GraphQlAnswer {
  readonly data: {
    readonly transactionsOf: {
      readonly totalCount: number
      readonly nodes: ReadonlyArray<{ readonly itemId: string }>
    }
  }
}

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
      const { nodes, totalCount } = (answer as GraphQlAnswer).data.transactionsOf
      const items = nodes.map(({ itemId }) => Number(itemId))
      return { items, pendingItems: totalCount - items.length }
    }
  }
]

/**
 * Installs PostGraphile, which only this peer needs, creates the function that it serves as a list,
 * and starts it.
 */
const startPostGraphile = async (url: string): Promise<BenchServer> => {
  const folder = join(import.meta.dirname, "postgraphile")
  if (!existsSync(join(folder, "node_modules"))) {
    execFileSync("npm", ["install", "--no-package-lock", "--no-audit", "--no-fund"], {
      cwd: folder,
      stdio: "inherit"
    })
  }
  await execute(
    url,
    `CREATE FUNCTION plain.transactions_of(account bigint, from_item bigint) RETURNS SETOF plain.transaction STABLE LANGUAGE sql AS
$$SELECT * FROM plain.transaction WHERE (from_account_index = account OR to_account_index = account) AND item_id >= from_item ORDER BY item_id$$`
  )
  process.env.GRAPHILE_ENV = "production"
  return startServer(import.meta.resolve("./postgraphile/server.js"), [url])
}

/**
 * Measures deep pages, ours ÷ each peer, over the same database, which must have the plain table of
 * `_sql_window.ts`. "From the database" caches no answer.
 */
const benchDeepPages = async (
  { transactions, url }: Pick<SqlLedger, "transactions" | "url">,
  options: Rounds
): Promise<void> => {
  const items = await middleItems(url)
  for (const { bound, name, pathFrom, read, start } of peers) {
    const peer = await start(url)
    try {
      for (
        const [kind, answersBytesMax] of [["from the database", 0], [
          "cached",
          64 * 2 ** 20
        ]] as const
      ) {
        const ours = await startServer(import.meta.resolve("./_sql_server.ts"), [
          url,
          String(answersBytesMax)
        ])
        try {
          const [item] = items
          assert.deepEqual(
            read(await answerOf(peer, pathFrom(item!))),
            readOurs(await answerOf(ours, ourPath(item!))),
            `${name} answers a page from item ${item} otherwise`
          )
          await benchAsked(
            `deep page, ${kind} ÷ ${name}`,
            { ours: { paths: items.map(ourPath) }, raw: { paths: items.map(pathFrom) } },
            ours,
            peer,
            {
              ...options,
              bound: kind === "cached" ? undefined : bound,
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
}

const answerOf = async ({ port }: BenchServer, path: string): Promise<unknown> =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).json()

const middleItems = async (url: string): Promise<ReadonlyArray<string>> =>
  (await execute(
    url,
    `
WITH found AS (SELECT item_id FROM plain.transaction WHERE from_account_index = $1 OR to_account_index = $1)
SELECT item_id FROM found ORDER BY item_id OFFSET (SELECT count(*) / 2 FROM found) LIMIT $2`,
    heavyAccount,
    variants
  )).map(({ item_id }) => String(item_id))

const execute = async (
  url: string,
  text: string,
  ...values: ReadonlyArray<number>
): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text, [...values])).rows
  } finally {
    await client.end()
  }
}
