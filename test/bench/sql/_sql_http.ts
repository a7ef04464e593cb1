import assert from "node:assert/strict"
import { Client } from "pg"
import { noteFigure } from "../_figures.ts"
import { benchPaths } from "../http/http.ts"
import { startServer } from "../_servers.ts"
import { heavyAccount } from "./_sql_ledger.ts"

/** Different paths of each kind, requested in turn. */
const variants = 64
const pageName = "20 transactions of an account"
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
    for (
      const [kind, answersBytesMax] of [["from the database", 0], [
        "cached",
        answersBytesMaxDefault
      ]] as const
    ) {
      const ours = await startServer(import.meta.resolve("./_sql_server.ts"), [
        url,
        String(answersBytesMax)
      ])
      try {
        if (answersBytesMax === 0) {
          for (const path of Object.values(paths).flat()) {
            await compare(path, ours.port, peer.port)
          }
        }
        for (const [name, some] of Object.entries(paths)) {
          const ratio = await benchPaths(`${name}, ${kind}`, some, ours.port, peer.port, options)
          if (answersBytesMax === 0) noteFigure("sqlCold", `${name} ${ratio}`)
          else if (name === pageName) noteFigure("sqlHot", ratio)
        }
      } finally {
        await ours.stop()
      }
    }
  } finally {
    await peer.stop()
  }
}

/** Both must give the same answer, except the count that the peer leaves out. */
const compare = async (path: string, ourPort: number, peerPort: number) => {
  const [ours, theirs] = await Promise.all([ourPort, peerPort].map(async (port) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    return await response.json() as { pendingItems?: number }
  }))
  delete ours!.pendingItems
  assert.deepEqual(theirs, ours, `The peer answers ${path} otherwise`)
}

const pathsOf = async (
  url: string
): Promise<{ readonly [name: string]: ReadonlyArray<string> }> => {
  const client = new Client(url)
  await client.connect()
  const all = async (text: string) =>
    (await client.query<{ value: string }>(text)).rows.map(({ value }) => value)
  try {
    const spread = (column: string, order: string, from: string) =>
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
        `plain.transaction WHERE from_account_index = ${heavyAccount} OR to_account_index = ${heavyAccount}`
      )
    )
    return {
      "one token": tokens.map((id) => `/tokens/${id}`),
      "one account": accounts.map((index) => `/accounts/${encodeURIComponent(index)}`),
      "one transaction": transactions.map((id) => `/transactions-history/${id}`),
      [pageName]: positions.map((item) =>
        `/transactions-history?accountIndex=zk:ETH:${heavyAccount}&fromItem=${item}&limit=20`
      )
    }
  } finally {
    await client.end()
  }
}
