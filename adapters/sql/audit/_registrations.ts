import { Effect } from "effect"
import type { Account, Token } from "../../../core/domain/mod.ts"
import { FIRST_USER_ACCOUNT } from "../../../core/encoding/mod.ts"
import { account, queryOf, token } from "../entities/mod.ts"
import {
  type AuditSnapshot,
  type AuditStep,
  itemsPerStatement,
  countRows,
  reportViolations
} from "./_audit_snapshot.ts"

const accounts = queryOf(
  account,
  `account AS r WHERE r.account_index > $1::bigint ORDER BY r.account_index LIMIT ${itemsPerStatement}`
)
const storedTokens = queryOf(
  token,
  `token AS r WHERE r.token_id > $1::bigint ORDER BY r.token_id LIMIT ${itemsPerStatement}`
)

/**
 * Checks that account indexes have no gaps and that item ids ascend with them. Adds all accounts to
 * the book, calls `each` with each of them, and returns the last index.
 */
export const readAccounts = (
  { advance, book, findings, rows, select }: AuditSnapshot,
  each: (account: Account) => void
): AuditStep<number> =>
  Effect.gen(function*() {
    const [greatest] = yield* rows<{ readonly last: bigint | null }>(
      "SELECT max(account_index) AS last FROM account"
    )
    const total = Number(greatest?.last ?? 0n) - FIRST_USER_ACCOUNT + 1
    let [last, lastItem] = [FIRST_USER_ACCOUNT - 1, 0]
    for (;;) {
      const page = yield* select(accounts, `${last}`)
      if (page.length === 0) break
      for (const account of page) {
        if (account.index !== last + 1) {
          findings.violate(
            "transitions",
            `account ${last + 1}`,
            account.index === last + 2 ? "no account" : `no account up to ${account.index - 1}`,
            "accounts without gaps"
          )
        }
        if (account.itemId <= lastItem) {
          findings.violate(
            "transitions",
            `account ${account.index}, item_id`,
            account.itemId,
            `more than ${lastItem}, the item id of the previous account`
          )
        }
        book.set(account.index, account)
        each(account)
        ;[last, lastItem] = [account.index, account.itemId]
      }
      yield* advance(page.length, (last - FIRST_USER_ACCOUNT + 1) / total)
    }
    return last
  })

/** Checks that token ids have no gaps, and checks prices and price changes. */
export const auditTokens = (snapshot: AuditSnapshot): AuditStep =>
  Effect.gen(function*() {
    const { findings, rows, select, tokens } = snapshot
    let last = -1
    let lastItem = 0
    for (;;) {
      const page: ReadonlyArray<Token> = yield* select(storedTokens, `${last}`)
      if (page.length === 0) break
      for (const token of page) {
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
      findings.checked("tokens", page.length)
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

/** Checks registrations of coordinators and bids. */
export const auditAuction = (snapshot: AuditSnapshot): AuditStep =>
  Effect.gen(function*() {
    yield* reportViolations(
      snapshot,
      "coordinators",
      `
SELECT 'registration 0x' || encode(bidder_addr, 'hex') AS place, 'item ' || coalesce(found.item_id::text, 'none') || ', forger ' || coalesce(encode(found.forger_addr, 'hex'), 'none') AS found,
  'item ' || coalesce(latest.item_id::text, 'none') || ', forger ' || coalesce(encode(latest.forger_addr, 'hex'), 'none') AS expected
FROM (SELECT DISTINCT ON (bidder_addr) bidder_addr, forger_addr, item_id FROM coordinator ORDER BY bidder_addr, item_id DESC) AS latest
FULL JOIN registration AS found USING (bidder_addr)
WHERE found.item_id IS DISTINCT FROM latest.item_id OR found.forger_addr IS DISTINCT FROM latest.forger_addr`
    )
    yield* countRows(snapshot, "coordinators", "coordinator")
    yield* reportViolations(
      snapshot,
      "bids",
      `
SELECT 'bid ' || item_id || ' (slot ' || slot_num || ')' AS place, bid_value::text AS found, 'more than ' || before || ', the bid before' AS expected
FROM (SELECT *, lag(bid_value) OVER (PARTITION BY slot_num ORDER BY item_id) AS before FROM bid) AS bids WHERE bid_value <= before`
    )
    yield* reportViolations(
      snapshot,
      "bids",
      `
SELECT 'bid ' || item_id || ', bidder_addr' AS place, '0x' || encode(bidder_addr, 'hex') AS found, 'the address of a coordinator that registered before' AS expected
FROM bid WHERE NOT EXISTS (SELECT FROM coordinator WHERE coordinator.bidder_addr = bid.bidder_addr AND coordinator.ethereum_block_num <= bid.ethereum_block_num)`
    )
    yield* reportViolations(
      snapshot,
      "bids",
      `
SELECT 'bid ' || bid.item_id || ', timestamp_ms' AS place, bid.timestamp_ms::text AS found, coalesce(block.timestamp_ms::text, 'that of a block that is there') AS expected
FROM bid LEFT JOIN block ON block.number = bid.ethereum_block_num WHERE bid.timestamp_ms IS DISTINCT FROM block.timestamp_ms`
    )
    yield* countRows(snapshot, "bids", "bid")
  })
