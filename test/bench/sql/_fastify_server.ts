import fastify from "fastify"
import { Pool } from "pg"
import { tokenOf, transactionOf } from "./_pg_answers.ts"

/*
 * Two peers on Fastify, without checks of parameters. Over an address they hold our answers as
 * objects, which Fastify writes. Over a database they read the transactions of an account with the
 * SQL of the original node: the page and its counts in one prepared query, over `plain.transaction`
 * and its indexes.
 */
const [source, ...paths] = process.argv.slice(2)
const server = fastify()

if (source!.startsWith("http")) {
  for (const path of new Set(paths.map((path) => path.split("?", 1)[0]!))) {
    const answers = new Map<string, unknown>()
    for (const each of paths.filter((each) => each.split("?", 1)[0] === path)) {
      answers.set(each, await (await fetch(`${source}${each}`)).json())
    }
    server.get(path.replaceAll(":", "::"), (request) => answers.get(request.url))
  }
} else {
  const pool = new Pool({
    connectionString: source!,
    max: 7,
    options: "-c work_mem=256MB -c jit=off"
  })
  const tokenColumns = [
    "token_id",
    "item_id",
    "ethereum_address",
    "name",
    "symbol",
    "decimals",
    "ethereum_block_num",
    "price_usd",
    "price_time_ms"
  ]
    .map((column) => `token.${column} AS token_${column}`).join(", ")
  const text = `
SELECT transaction.*, ${tokenColumns}, count(*) OVER () AS total_items
FROM plain.transaction JOIN token ON token.token_id = transaction.token_id
WHERE (transaction.from_account_index = $1 OR transaction.to_account_index = $1) AND transaction.item_id >= $2
ORDER BY transaction.item_id LIMIT $3`
  server.get<
    {
      readonly Querystring: {
        readonly accountIndex: string
        readonly fromItem: string
        readonly limit: string
      }
    }
  >("/transactions-history", async ({ query }) => {
    const { accountIndex, fromItem, limit } = query
    const { rows } = await pool.query({
      name: "page",
      text,
      values: [accountIndex.slice(accountIndex.lastIndexOf(":") + 1), fromItem, limit]
    })
    return {
      transactions: rows.map(transactionOf),
      pendingItems: Number(rows[0]?.total_items ?? 0) - rows.length
    }
  })
  server.get<{ readonly Params: { readonly id: string } }>(
    "/tokens/:id",
    async ({ params }) =>
      tokenOf(
        (await pool.query({
          name: "token",
          text: `SELECT ${tokenColumns} FROM token WHERE token_id = $1`,
          values: [params.id]
        })).rows[0]
      )
  )
}

await server.listen({ port: 0, host: "127.0.0.1" })
console.log(`listening ${(server.server.address() as { port: number }).port}`)
process.on("SIGTERM", () => process.exit(0))
