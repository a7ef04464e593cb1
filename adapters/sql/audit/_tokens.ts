import { Effect } from "effect"
import { decodeToken, tokenRowSql } from "../reads/mod.ts"
import {
  type AuditSnapshot,
  type AuditStep,
  countRows,
  itemsPerStatement,
  reportViolations
} from "./_audit_snapshot.ts"

/** Checks that token ids have no gaps, and checks prices and price changes. */
export const auditTokens = (snapshot: AuditSnapshot): AuditStep =>
  Effect.gen(function*() {
    const { findings, rows, tokens } = snapshot
    let last = -1
    let lastItem = 0
    for (;;) {
      const lines: ReadonlyArray<{ readonly line: string }> = yield* rows<
        { readonly line: string }
      >(
        `SELECT ${tokenRowSql} AS line FROM token AS r WHERE r.token_id > $1::bigint ORDER BY r.token_id LIMIT ${itemsPerStatement}`,
        `${last}`
      )
      if (lines.length === 0) break
      for (const { line } of lines) {
        const token = decodeToken(line)
        tokens.set(token.id, token)
        findings.same("tokens", `token ${last + 1}`, `token ${token.id}`, `token ${last + 1}`)
        if (token.itemId <= lastItem) {
          findings.violate(
            "tokens",
            `token ${token.id}, item_id`,
            token.itemId,
            `more than ${lastItem}`
          )
        }
        ;[last, lastItem] = [token.id, token.itemId]
      }
      findings.checked("tokens", lines.length)
    }
    const [block] = yield* rows<{ readonly last: bigint }>(
      "SELECT last_token_id AS last FROM block ORDER BY number DESC LIMIT 1"
    )
    if (block !== undefined) {
      findings.same("tokens", "last token", `token ${last}`, `token ${block.last}`)
    }
    yield* reportViolations(
      snapshot,
      "tokens",
      `
SELECT 'token ' || token_id || ', ethereum_address' AS place, '0x' || encode(ethereum_address, 'hex') AS found, 'the address of no other token' AS expected
FROM token WHERE ethereum_address IN (SELECT ethereum_address FROM token GROUP BY ethereum_address HAVING count(*) > 1)`
    )
    yield* reportViolations(
      snapshot,
      "prices",
      `
SELECT 'token ' || token_id AS place, 'price ' || coalesce(price_usd::text, 'none') || ' at ' || coalesce(price_time_ms::text, 'no time') AS found, 'both or neither' AS expected
FROM token WHERE (price_usd IS NULL) <> (price_time_ms IS NULL)`
    )
    yield* reportViolations(
      snapshot,
      "prices",
      `
SELECT 'token ' || token_id || ', price_usd' AS place, price_usd::text AS found, 'none, since no price_change tells that it was set' AS expected
FROM token WHERE price_usd IS NOT NULL AND NOT EXISTS (SELECT FROM price_change WHERE price_change.token_id = token.token_id)`
    )
    yield* reportViolations(
      snapshot,
      "prices",
      `
SELECT 'price_change of block ' || ethereum_block_num || ', place ' || place AS place, 'token ' || token_id || ', place ' || place AS found,
  CASE WHEN NOT is_known THEN 'a registered token' ELSE 'place ' || coalesce(before + 1, 0) END AS expected
FROM (
  SELECT *, lag(place) OVER (PARTITION BY ethereum_block_num ORDER BY place) AS before, EXISTS (SELECT FROM token WHERE token.token_id = price_change.token_id) AS is_known FROM price_change
) AS placed WHERE place <> coalesce(before + 1, 0) OR NOT is_known`
    )
    // a token that is registered together with a price has it before its first price change
    yield* reportViolations(
      snapshot,
      "prices",
      `
SELECT 'price_change of block ' || ethereum_block_num || ', place ' || place AS place, coalesce(price_usd_before::text, 'none') || ' at ' || coalesce(price_time_ms_before::text, 'no time') AS found,
  CASE WHEN number = 1 THEN 'none, since it is the first price of token ' || token_id ELSE 'price and time, or neither' END AS expected
FROM (SELECT *, row_number() OVER (PARTITION BY token_id ORDER BY ethereum_block_num, place) AS number FROM price_change) AS numbered
WHERE (price_usd_before IS NULL) <> (price_time_ms_before IS NULL) OR (number = 1 AND price_usd_before IS NOT NULL
  AND NOT EXISTS (SELECT FROM token WHERE token.token_id = numbered.token_id AND token.ethereum_block_num = numbered.ethereum_block_num))`
    )
    yield* countRows(snapshot, "prices", "price_change")
  })
