import { Effect } from "effect"
import { Client } from "pg"
import { median } from "../_load.ts"
import { valuesOf } from "./_sql_filter_values.ts"
import type { SqlLedger } from "./_sql_ledger.ts"

/**
 * Transactions for plain SQL: the same rows in another table, with the indexes that its queries
 * need.
 */
const plainTable = [
  "CREATE SCHEMA plain",
  "CREATE TABLE plain.transaction AS SELECT * FROM transaction ORDER BY item_id",
  "ALTER TABLE plain.transaction ADD PRIMARY KEY (item_id), ADD UNIQUE (id)",
  ...["from_address", "to_address", "from_account_index", "to_account_index"].map((column) =>
    `CREATE INDEX ON plain.transaction (${column}, item_id)`
  ),
  "VACUUM ANALYZE plain.transaction"
]

export const makePlainTable = async (url: string): Promise<void> => {
  const client = new Client(url)
  await client.connect()
  for (const statement of plainTable) await client.query(statement)
  await client.end()
}

/** The page and its counts in one query, as in the original node. */
const windowed = `
SELECT transaction.*, token.symbol, token.name, token.decimals, token.price_usd,
  count(*) OVER () AS total_items, min(transaction.item_id) OVER () AS first_item, max(transaction.item_id) OVER () AS last_item
FROM plain.transaction JOIN token ON token.token_id = transaction.token_id
WHERE (transaction.from_address = $1 OR transaction.to_address = $1) AND transaction.item_id >= $2
ORDER BY transaction.item_id LIMIT 20`

/**
 * Measures a page of an address with many transactions: ours ÷ the peer, which has `plainTable`,
 * memory to sort in, and a prepared statement.
 */
export const benchWindow = async ({ reader, url }: SqlLedger, rounds: number): Promise<void> => {
  const { address } = (await valuesOf(url)).transactions as { readonly address: string }
  const peer = new Client(url)
  await peer.connect()
  try {
    await peer.query("SET work_mem = '256MB'")
    await peer.query("SET jit = off")
    const list = (fromItem: number) =>
      Effect.runPromise(reader.list("transactions", { filters: { address }, fromItem, limit: 20 }))
    const { counts: { totalItems } } = await list(0)
    const bytes = Buffer.from(address.slice(2), "hex")
    for (const [place, share] of [["start", 0], ["middle", 0.5], ["near the end", 0.99]] as const) {
      const { rows: [from] } = await peer.query<{ item_id: string }>(
        `SELECT item_id FROM plain.transaction WHERE from_address = $1 OR to_address = $1
ORDER BY item_id OFFSET $2 LIMIT 1`,
        [bytes, Math.floor(share * (totalItems - 20))]
      )
      const fromItem = Number(from!.item_id)
      const [ours, theirs, ratios]: [Array<number>, Array<number>, Array<number>] = [[], [], []]
      for (let round = -2; round < rounds; round++) {
        const peerStarted = performance.now()
        const { rows } = await peer.query<{ item_id: string }>({
          name: "windowed",
          text: windowed,
          values: [bytes, fromItem]
        })
        const peerMs = performance.now() - peerStarted
        const pages: Array<number> = []
        for (let i = 0; i < 20; i++) {
          const started = performance.now()
          const { items } = await list(fromItem)
          pages.push(performance.now() - started)
          const same = items.length === rows.length &&
            items.every(({ transaction }, at) => transaction.itemId === Number(rows[at]!.item_id))
          if (!same) {
            throw new Error(
              `The page from item ${fromItem} holds ${items.length} transactions, expected the ${rows.length} of the peer`
            )
          }
        }
        if (round < 0) continue
        const { median: ourMs } = median(pages)
        ours.push(ourMs)
        theirs.push(peerMs)
        ratios.push(peerMs / ourMs)
      }
      const { median: ratio, spread } = median(ratios)
      console.log(
        `  ${place.padEnd(14)} ${ratio.toFixed(0)} ± ${spread.toFixed(0)} times as fast   (${
          median(ours).median.toFixed(2)
        } ms ÷ ${median(theirs).median.toFixed(1)} ms; ${totalItems} transactions of the address)`
      )
    }
  } finally {
    await peer.end()
  }
}
