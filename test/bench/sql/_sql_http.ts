import assert from "node:assert/strict"
import { execute } from "../../postgres/_statements.ts"
import type { Rounds } from "../_rates.ts"
import { type BenchServer, startNode, startServer } from "../_servers.ts"
import { showDatabaseRates } from "./_database.ts"
import { heavyAccount } from "./_sql_ledger.ts"

/** Different paths of each kind, requested in turn. */
const variants = 64
const pageName = "20 transactions of an account"
const tokenName = "one token"
/** Pages that are requested once or a few times in a run. */
const newPages = 20_000

/**
 * Measures requests per second of our server over a database and of the peer over the same one, in
 * turn in each round. "From the database" caches no answer: point reads and pages, a few of which
 * are requested again and again, and ever new pages. "Cached" is `npm start` without new blocks.
 */
export const benchSqlHttp = async (url: string, rounds: Rounds): Promise<void> => {
  const all = await pathsOf(url)
  await using peer = await startServer(import.meta.resolve("./_pg_server.ts"), [url])
  {
    await using ours = await startNode(["database", 0, url])
    for (const path of Object.values(all).flatMap((some) => some.slice(0, variants))) {
      await compare(path, ours, peer)
    }
    for (const [name, paths] of Object.entries(all)) {
      for (const connections of name === tokenName ? [32] : [1, 8, 32]) {
        await showDatabaseRates(
          url,
          {
            name: `${name}, from the database ÷ pg by hand`,
            connections,
            bound: name === tokenName ? undefined : "≥ 1.0, by CPU time ≥ 0.91"
          },
          { server: ours, paths },
          { server: peer, paths },
          rounds
        )
      }
    }
  }
  await using ours = await startNode(["database", 2 ** 26, url])
  for (const name of [tokenName, pageName]) {
    await showDatabaseRates(
      url,
      {
        name: `${name}, cached, as by default ÷ pg by hand`,
        bound: name === pageName ? "≥ 5" : undefined
      },
      { server: ours, paths: all[name]! },
      { server: peer, paths: all[name]! },
      rounds
    )
  }
}

/**
 * Both must give the same answer, except the count that the peer leaves out, and the symbols in
 * indexes of accounts: the peer writes that of the transaction, but a transaction of nothing may go
 * to an account of another token.
 */
const compare = async (path: string, ...servers: ReadonlyArray<BenchServer>) => {
  const [ours, theirs] = await Promise.all(servers.map(async ({ port }) => {
    const text = await (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    return JSON.parse(text.replaceAll(/"zk:[^":]*:(\d+)"/gu, '"$1"')) as { pendingItems?: number }
  }))
  delete ours!.pendingItems
  assert.deepEqual(theirs, ours, `The peer answers ${path} otherwise`)
}

const pathsOf = async (
  url: string
): Promise<{ readonly [name: string]: ReadonlyArray<string> }> => {
  const all = async (column: string, order: string, from: string, count = variants) => {
    const rows = await execute(
      url,
      `SELECT ${column} AS value FROM (SELECT *, row_number() OVER (ORDER BY ${order}) - 1 AS at, count(*) OVER () AS many FROM ${from}) AS r
WHERE at % greatest(many / ${count}, 1) = 0 LIMIT ${count}`
    )
    return rows.map(({ value }) => String(value))
  }
  const account = "'zk:' || symbol || ':' || account_index"
  const accounts = await all(account, "account_index", "account JOIN token USING (token_id)")
  const transactions = await all("'0x' || encode(id, 'hex')", "item_id", "transaction")
  const ofHeavy = `from_account_index = ${heavyAccount} OR to_account_index = ${heavyAccount}`
  const positions = await all(
    "item_id",
    "item_id",
    `plain.transaction WHERE ${ofHeavy}`,
    newPages
  )
  const pages = positions.map((item) =>
    `/transactions-history?accountIndex=zk:ETH:${heavyAccount}&fromItem=${item}&limit=20`
  )
  const every = Math.ceil(pages.length / variants)
  return {
    [tokenName]: (await all("token_id", "token_id", "token")).map((id) => `/tokens/${id}`),
    "one account": accounts.map((index) => `/accounts/${encodeURIComponent(index)}`),
    "one transaction": transactions.map((id) => `/transactions-history/${id}`),
    [pageName]: pages.filter((_, at) => at % every === 0),
    [`${pageName}, ever new`]: pages
  }
}
