import { Effect } from "effect"
import assert from "node:assert/strict"
import { Client } from "pg"
import { execute } from "../../postgres/_statements.ts"
import { showRatio } from "../_figures.ts"
import { median } from "../_load.ts"
import { statementsOf } from "./_database.ts"
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

export const makePlainTable = (url: string): Promise<unknown> => execute(url, ...plainTable)

/** The page and its counts in one query, as in the original node. */
const windowed = `
SELECT transaction.*, token.symbol, token.name, token.decimals, token.price_usd,
  count(*) OVER () AS total_items, min(transaction.item_id) OVER () AS first_item, max(transaction.item_id) OVER () AS last_item
FROM plain.transaction JOIN token ON token.token_id = transaction.token_id
WHERE (transaction.from_address = $1 OR transaction.to_address = $1) AND transaction.item_id >= $2
ORDER BY transaction.item_id LIMIT 20`

/** The same page of both. */
interface Page {
  readonly address: string
  readonly fromItem: number
}

/**
 * Measures pages of addresses: ours ÷ the peer, which has `plainTable`, memory to sort in, and a
 * prepared statement. One address has many transactions; the others show from which number on a
 * page costs less than counting all of them.
 */
export const benchWindow = async ({ reader, url }: SqlLedger, rounds: number): Promise<void> => {
  const peer = new Client(url)
  await peer.connect()
  const list = ({ address, fromItem }: Page) =>
    Effect.runPromise(reader.list("transactions", { filters: { address }, fromItem, limit: 20 }))
  const show = async (label: string, transactions: number, page: Page) => {
    const { ours, ratios, theirs } = await compare(peer, list, page, rounds)
    const { count: statements } = await statementsOf(url, () => list(page))
    showRatio({
      name: `${label} of the ${transactions} transactions of an address ÷ COUNT(*) OVER ()`,
      bound: label === "middle" ? "≥ 200 at 10⁶" : undefined,
      values: ratios,
      conditions:
        `20 items, one page again and again in process, statements a request: ${statements}; ${
          ours.toFixed(2)
        } ÷ ${theirs.toFixed(2)} ms`
    })
  }
  try {
    await peer.query("SET work_mem = '256MB'")
    await peer.query("SET jit = off")
    const { address } = (await valuesOf(url)).transactions as { readonly address: string }
    const { counts: { totalItems } } = await list({ address, fromItem: 0 })
    for (const [place, share] of [["start", 0], ["middle", 0.5], ["near the end", 0.99]] as const) {
      const { rows: [from] } = await peer.query<{ item_id: string }>(
        `SELECT item_id FROM plain.transaction WHERE from_address = $1 OR to_address = $1
ORDER BY item_id OFFSET $2 LIMIT 1`,
        [bytesOf(address), Math.floor(share * (totalItems - 20))]
      )
      await show(place, totalItems, { address, fromItem: Number(from!.item_id) })
    }
    for (const transactions of [30, 100, 300, 1000, 3000]) {
      const { rows: [found] } = await peer.query<{ address: string; transactions: string }>(
        addressOfSize,
        [transactions]
      )
      await show("start", Number(found!.transactions), { address: found!.address, fromItem: 0 })
    }
  } finally {
    await peer.end()
  }
}

const bytesOf = (address: string): Buffer => Buffer.from(address.slice(2), "hex")

/** The address whose number of transactions is nearest to $1. */
const addressOfSize = `
SELECT '0x' || encode(address, 'hex') AS address, count(*) AS transactions
FROM (SELECT item_id, from_address AS address FROM plain.transaction UNION SELECT item_id, to_address FROM plain.transaction) AS each
WHERE address IS NOT NULL AND address <> decode(repeat('ff', 20), 'hex') GROUP BY address
ORDER BY abs(count(*) - $1::bigint) LIMIT 1`

/** Measures a page in turns, and fails if the items are not the same. */
const compare = async (
  peer: Client,
  list: (page: Page) => Promise<{
    readonly items: ReadonlyArray<{ readonly transaction: { readonly itemId: number } }>
  }>,
  page: Page,
  rounds: number
) => {
  const values = [bytesOf(page.address), page.fromItem]
  const query = () => peer.query<{ item_id: string }>({ name: "windowed", text: windowed, values })
  const [{ items }, { rows }] = [await list(page), await query()]
  assert.deepEqual(
    items.map(({ transaction }) => transaction.itemId),
    rows.map(({ item_id }) => Number(item_id))
  )
  const [ours, theirs]: [Array<number>, Array<number>] = [[], []]
  for (let round = -2; round < rounds; round++) {
    const [theirMs, ourMs] = [await medianMs(query), await medianMs(() => list(page))]
    if (round < 0) continue
    ours.push(ourMs)
    theirs.push(theirMs)
  }
  const ratios = theirs.map((ms, round) => ms / ours[round]!)
  return { ours: median(ours).median, theirs: median(theirs).median, ratios }
}

const medianMs = async (ask: () => Promise<unknown>): Promise<number> => {
  const times: Array<number> = []
  // a page of many transactions takes long enough to be measured once
  do {
    const started = performance.now()
    await ask()
    times.push(performance.now() - started)
  } while (times.length < 20 && times[0]! < 10)
  return median(times).median
}
