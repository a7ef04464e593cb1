import fastify from "fastify"
import { Pool } from "pg"
import { listen } from "../_servers.ts"
import { tokenColumns, transactionOf } from "./_pg_answers.ts"

/*
 * A peer on Fastify, without checks of parameters. It reads the transactions of an account with the
 * SQL of the original node: the page and its counts in one prepared query, over `plain.transaction`
 * and its indexes.
 */
const pool = new Pool({
  connectionString: process.argv[2]!,
  max: 7,
  options: "-c work_mem=256MB -c jit=off"
})
const text = `
SELECT transaction.*, ${tokenColumns}, count(*) OVER () AS total_items
FROM plain.transaction JOIN token ON token.token_id = transaction.token_id
WHERE (transaction.from_account_index = $1 OR transaction.to_account_index = $1) AND transaction.item_id >= $2
ORDER BY transaction.item_id LIMIT $3`
type Query = Record<"accountIndex" | "fromItem" | "limit", string>

const server = fastify()
server.get<{ readonly Querystring: Query }>("/transactions-history", async ({ query }) => {
  const { accountIndex, fromItem, limit } = query
  const index = accountIndex.slice(accountIndex.lastIndexOf(":") + 1)
  const { rows } = await pool.query({ name: "page", text, values: [index, fromItem, limit] })
  return {
    transactions: rows.map(transactionOf),
    pendingItems: Number(rows[0]?.total_items ?? 0) - rows.length
  }
})
await server.ready()
listen(server.server)
