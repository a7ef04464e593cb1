import assert from "node:assert/strict"
import { Client } from "pg"
import { benchPaths } from "../http/http.ts"
import { load } from "../_load.ts"
import { type BenchServer, startServer } from "../_servers.ts"
import { heavyAccount } from "./_sql_ledger.ts"

/** Different paths of each kind, requested in turn. */
const variants = 64
const pageName = "20 transactions of an account"
const tokenName = "one token"
/** Pages that are requested once or a few times in a run. */
const newPages = 20_000
const answersBytesMaxDefault = 64 * 2 ** 20

/**
 * Measures requests per second of our server over a database and of the peer over the same one, in
 * turn in each round; the ratio of each round counts. "From the database" caches no answer;
 * "cached" is `npm start` without new blocks.
 */
export const benchSqlHttp = async (
  url: string,
  options: { readonly rounds: number; readonly durationMs: number }
): Promise<void> => {
  const paths = await pathsOf(url)
  const peer = await startServer(import.meta.resolve("./_pg_server.ts"), [url])
  try {
    for (const answersBytesMax of [0, answersBytesMaxDefault]) {
      const ours = await startServer(import.meta.resolve("./_sql_server.ts"), [
        url,
        String(answersBytesMax)
      ])
      try {
        if (answersBytesMax === 0) {
          for (const path of Object.values(paths).flatMap((some) => some.slice(0, variants))) {
            await compare(path, ours.port, peer.port)
          }
        }
        const pair = { ours, peer, url, options }
        if (answersBytesMax === 0) await benchFromDatabase(pair, paths)
        else await benchCached(pair, paths)
      } finally {
        await ours.stop()
      }
    }
  } finally {
    await peer.stop()
  }
}

interface Pair {
  readonly ours: BenchServer
  readonly peer: BenchServer
  readonly url: string
  readonly options: { readonly rounds: number; readonly durationMs: number }
}
type Paths = { readonly [name: string]: ReadonlyArray<string> }

/** Point reads and pages, a few of which are requested again and again, and ever new pages. */
const benchFromDatabase = async ({ options, ours, peer, url }: Pair, paths: Paths) => {
  for (const [name, some] of Object.entries(paths)) {
    for (const connections of name === tokenName ? [32] : [1, 8, 32]) {
      const statements = await statementsOf(url, ours, some, connections)
      await benchPaths(`${name}, from the database ÷ pg by hand`, some, ours, peer, {
        ...options,
        connections,
        bound: name === tokenName ? undefined : "≥ 1.0, by CPU time ≥ 0.91",
        also: `${statements.toFixed(2)} statements a request`
      })
    }
  }
}

const benchCached = async ({ options, ours, peer }: Pair, paths: Paths) => {
  for (const name of [tokenName, pageName]) {
    await benchPaths(`${name}, cached, as by default ÷ pg by hand`, paths[name]!, ours, peer, {
      ...options,
      bound: name === pageName ? "≥ 5" : undefined,
      also: "no statement: the ledger does not change"
    })
  }
}

/** Returns how many statements our server runs for a request. */
const statementsOf = async (
  url: string,
  { port }: BenchServer,
  paths: ReadonlyArray<string>,
  connections: number
): Promise<number> => {
  const client = new Client(url)
  await client.connect()
  try {
    await client.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    const statements = async () => {
      const { rows: [row] } = await client.query<{ readonly count: string }>(
        "SELECT sum(calls) AS count FROM pg_stat_statements WHERE query LIKE '%$1%' AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())"
      )
      return Number(row!.count)
    }
    const before = await statements()
    const durationMs = 1000
    const rate = await load({ port, paths, connections, durationMs })
    return (await statements() - before) / (rate * durationMs / 1000)
  } finally {
    await client.end()
  }
}

/**
 * Both must give the same answer, except the count that the peer leaves out, and the symbols in
 * indexes of accounts: the peer writes that of the transaction, but a transaction of nothing may go
 * to an account of another token.
 */
const compare = async (path: string, ourPort: number, peerPort: number) => {
  const [ours, theirs] = await Promise.all([ourPort, peerPort].map(async (port) => {
    const text = await (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    return JSON.parse(text.replaceAll(/"zk:[^":]*:(\d+)"/gu, '"$1"')) as { pendingItems?: number }
  }))
  delete ours!.pendingItems
  assert.deepEqual(theirs, ours, `The peer answers ${path} otherwise`)
}

const pathsOf = async (
  url: string
): Promise<Paths> => {
  const client = new Client(url)
  await client.connect()
  const all = async (text: string) =>
    (await client.query<{ value: string }>(text)).rows.map(({ value }) => value)
  try {
    const spread = (column: string, order: string, from: string, variants = 64) =>
      `SELECT ${column} AS value FROM (SELECT *, row_number() OVER (ORDER BY ${order}) - 1 AS at, count(*) OVER () AS many FROM ${from}) AS r
WHERE at % greatest(many / ${variants}, 1) = 0 LIMIT ${variants}`
    const tokens = await all("SELECT token_id AS value FROM token")
    const accounts = await all(
      spread(
        "'zk:' || symbol || ':' || account_index",
        "account_index",
        "account JOIN token USING (token_id)"
      )
    )
    const transactions = await all(spread("'0x' || encode(id, 'hex')", "item_id", "transaction"))
    const positions = await all(
      spread(
        "item_id",
        "item_id",
        `plain.transaction WHERE from_account_index = ${heavyAccount} OR to_account_index = ${heavyAccount}`,
        newPages
      )
    )
    const pages = positions.map((item) =>
      `/transactions-history?accountIndex=zk:ETH:${heavyAccount}&fromItem=${item}&limit=20`
    )
    const every = Math.ceil(pages.length / variants)
    return {
      [tokenName]: tokens.map((id) => `/tokens/${id}`),
      "one account": accounts.map((index) => `/accounts/${encodeURIComponent(index)}`),
      "one transaction": transactions.map((id) => `/transactions-history/${id}`),
      [pageName]: pages.filter((_, at) => at % every === 0),
      [`${pageName}, ever new`]: pages
    }
  } finally {
    await client.end()
  }
}
