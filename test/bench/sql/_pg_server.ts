import { createServer } from "node:http"
import { Pool } from "pg"
import { listen } from "../_servers.ts"
import { accountOf, tokenColumns, tokenOf, transactionOf } from "./_pg_answers.ts"

/*
 * The peer: bare `node:http` over `pg` with hand-written SQL, prepared once on each connection, and
 * the same fields in its answers. It does less: it checks no parameter, sends only necessary
 * headers, and counts no following items. It finds the transactions of an account by its own
 * indexes, in `plain.transaction`.
 */
const pool = new Pool({ connectionString: process.argv[2], max: 7 }) // as many as our server reads with
const ask = async (name: string, text: string, ...values: ReadonlyArray<unknown>) =>
  (await pool.query({ name, text, values: [...values] })).rows

const pageText = `
SELECT transaction.*, ${tokenColumns} FROM (
  SELECT item_id FROM (
    (SELECT item_id FROM plain.transaction WHERE from_account_index = $1 AND item_id >= $2 ORDER BY item_id LIMIT $3)
    UNION
    (SELECT item_id FROM plain.transaction WHERE to_account_index = $1 AND item_id >= $2 ORDER BY item_id LIMIT $3)
  ) AS found ORDER BY item_id LIMIT $3
) AS page JOIN plain.transaction USING (item_id) JOIN token USING (token_id) ORDER BY item_id`

const answer = async (url: URL): Promise<unknown> => {
  const [, kind, key = ""] = url.pathname.split("/").map(decodeURIComponent)
  switch (kind) {
    case "tokens":
      return tokenOf(
        (await ask("token", `SELECT ${tokenColumns} FROM token WHERE token_id = $1`, key))[0]!
      )
    case "accounts":
      return accountOf(
        (await ask(
          "account",
          `SELECT account.*, ${tokenColumns} FROM account JOIN token USING (token_id) WHERE account_index = $1`,
          indexOf(key)
        ))[0]!
      )
    default:
      if (key !== "") {
        return transactionOf(
          (await ask(
            "transaction",
            `SELECT transaction.*, ${tokenColumns} FROM transaction JOIN token USING (token_id) WHERE id = $1`,
            Buffer.from(key.slice(2), "hex")
          ))[0]!
        )
      }
      return {
        transactions: (await ask(
          "page",
          pageText,
          indexOf(url.searchParams.get("accountIndex")!),
          url.searchParams.get("fromItem"),
          url.searchParams.get("limit")
        ))
          .map(transactionOf)
      }
  }
}

const indexOf = (account: string): string => account.slice(account.lastIndexOf(":") + 1)

listen(createServer((request, response) => {
  answer(new URL(request.url!, "http://127.0.0.1")).then((value) => {
    const body = JSON.stringify(value)
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body)
    }).end(body)
  }, (error: Error) => response.writeHead(500).end(error.message))
}))
