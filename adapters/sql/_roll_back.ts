import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { RollBackReport } from "../../core/ports/mod.ts"
import { cutPostings } from "./_cut_postings.ts"
import { closeStatement, openExitSource, openStatement, slotKey } from "./_open_items.ts"
import { bigintArray } from "./_parameters.ts"
import type { WorkingView } from "./_view.ts"
import { announcingVersion } from "./versions.ts"

/*
 * A rollback takes a suffix off every table and puts back what the blocks in it overwrote. Item ids are not given back.
 */

/** How far everything reached when the block that stays had been written. */
interface Left {
  readonly number: string
  readonly last_batch_num: bigint
  readonly last_account_index: bigint
  readonly last_token_id: bigint
  readonly next_account: bigint
  readonly next_exit: bigint
  readonly next_transaction: bigint
  readonly next_batch: bigint
  readonly next_bid: bigint
  readonly next_coordinator: bigint
  /** Blocks above. */
  readonly dropped: bigint
}

/** The genesis block stays in any case. */
const leftStatement = `
SELECT block.*, (SELECT count(*) FROM block AS above WHERE above.number > block.number) AS dropped
FROM block WHERE number = coalesce((SELECT max(number) FROM block WHERE number <= $1::numeric), (SELECT min(number) FROM block))`

const undoWithdrawals = `
UPDATE exit SET instant_withdrawn = CASE WHEN undone.instant THEN NULL ELSE instant_withdrawn END,
  delayed_withdraw_request = CASE WHEN undone.request THEN NULL ELSE delayed_withdraw_request END,
  delayed_withdrawn = CASE WHEN undone.collection THEN NULL ELSE delayed_withdrawn END
FROM (
  SELECT exit_item, bool_or(field = 0) AS instant, bool_or(field = 1) AS request, bool_or(field = 2) AS collection
  FROM withdrawal WHERE ethereum_block_num > $1::numeric AND exit_item < $2::bigint GROUP BY exit_item
) AS undone
WHERE exit.item_id = undone.exit_item RETURNING exit.item_id`
const closeExits = closeStatement(openExitSource("r.item_id >= $1::bigint"))
const openExits = openStatement(openExitSource("r.item_id = ANY($1::bigint[]) AND r.instant_withdrawn IS NULL AND r.delayed_withdrawn IS NULL"))

const slotsStatement = "SELECT DISTINCT slot_num FROM bid WHERE item_id >= $1::bigint"
const heldSlots = `
SELECT ${slotKey("best.bidder_addr")} AS key, asked.slot_num AS item FROM unnest($1::bigint[]) AS asked (slot_num)
CROSS JOIN LATERAL (SELECT bidder_addr FROM bid WHERE bid.slot_num = asked.slot_num ORDER BY item_id DESC LIMIT 1) AS best`
const closeSlots = closeStatement(heldSlots)
const openSlots = openStatement(heldSlots)

/** The oldest batch that overwrote an account knows what it held before all of them. */
const undoAccounts = `
UPDATE account SET nonce = before.nonce, balance = before.balance
FROM (
  SELECT DISTINCT ON (updated.index) updated.index, updated.nonce, updated.balance
  FROM batch CROSS JOIN LATERAL unnest(updated_accounts, nonces_before, balances_before) AS updated (index, nonce, balance)
  WHERE batch.batch_num > $1::bigint AND updated.index <= $2::bigint
  ORDER BY updated.index, batch.batch_num
) AS before
WHERE account.account_index = before.index`
const undoPrices = `
UPDATE token SET price_usd = before.price_usd_before, price_time_ms = before.price_time_ms_before, version = $3::bigint
FROM (
  SELECT DISTINCT ON (token_id) token_id, price_usd_before, price_time_ms_before
  FROM price_change WHERE ethereum_block_num > $1::numeric AND token_id <= $2::bigint ORDER BY token_id, ethereum_block_num, place
) AS before
WHERE token.token_id = before.token_id`
const unforge = `
UPDATE queued_transaction SET forged = false FROM transaction
WHERE transaction.item_id >= $1::bigint AND transaction.queue IS NOT NULL AND queued_transaction.id = transaction.id`

const biddersStatement = "SELECT DISTINCT bidder_addr FROM coordinator WHERE item_id >= $1::bigint"
const forgetRegistrations = "DELETE FROM registration WHERE bidder_addr = ANY($1::bytea[])"
const restoreRegistrations = `
INSERT INTO registration (bidder_addr, forger_addr, item_id)
SELECT latest.bidder_addr, latest.forger_addr, latest.item_id FROM unnest($1::bytea[]) AS asked (bidder)
CROSS JOIN LATERAL (SELECT * FROM coordinator WHERE coordinator.bidder_addr = asked.bidder ORDER BY item_id DESC LIMIT 1) AS latest`

const updateLedger = `
UPDATE ledger SET version = $1::bigint, token_version = $2::bigint, ethereum_block_num = $3::numeric, batch_num = $4::bigint, last_write = $5::uuid
${announcingVersion}`

/** Drops every block above `toBlock`; the caller holds the ledger's row, and `view` tells where it stands. */
export const rollBackTo = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient, { lastBatchNum, stamp, start }: WorkingView, { toBlock, writeId }: { readonly toBlock: bigint; readonly writeId: string }
): Effect.fn.Return<RollBackReport, SqlError.SqlError> {
  const left = (yield* sql.unsafe<Left>(leftStatement, [`${toBlock}`]))[0]!
  if (left.dropped > 0n) yield* cutBack(sql, left, start.tokenVersion + 1)
  const leftBatch = Number(left.last_batch_num)
  const after = { ethereumBlockNum: BigInt(left.number), batchNum: leftBatch === 0 ? null : leftBatch, version: stamp.version + 1 }
  yield* sql.unsafe(updateLedger, [
    `${after.version}`, `${start.tokenVersion + 1}`, left.number, after.batchNum === null ? null : `${after.batchNum}`, writeId
  ])
  return { toBlock, blocks: Number(left.dropped), batches: lastBatchNum - leftBatch, lastBatchNum: leftBatch, stamp: after }
})

/** In the reverse order of writing, and the lists before the rows that their keys are computed from. */
const cutBack = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, left: Left, tokenVersion: number): Effect.fn.Return<void, SqlError.SqlError> {
  const run = <Row extends object>(statement: string, ...parameters: ReadonlyArray<unknown>) => sql.unsafe<Row>(statement, parameters)
  const removeAbove = (table: string, column: string, value: bigint) => run(`DELETE FROM ${table} WHERE ${column} > $1::bigint`, value)
  const removeFrom = (table: string, item: bigint) => run(`DELETE FROM ${table} WHERE item_id >= $1::bigint`, item)
  const removeAfterBlock = (table: string, column = "ethereum_block_num") => run(`DELETE FROM ${table} WHERE ${column} > $1::numeric`, left.number)

  const exits = yield* run<{ readonly item_id: bigint }>(undoWithdrawals, left.number, left.next_exit)
  if (exits.length > 0) yield* run(openExits, bigintArray(exits.map(({ item_id }) => item_id)))
  yield* removeAfterBlock("withdrawal")
  yield* removeAfterBlock("parameter_set")

  const slots = bigintArray((yield* run<{ readonly slot_num: bigint }>(slotsStatement, left.next_bid)).map(({ slot_num }) => slot_num))
  if (slots !== "{}") {
    yield* run(closeSlots, slots)
    yield* cutPostings(sql, "bids", left.next_bid)
    yield* removeFrom("bid", left.next_bid)
    yield* run(openSlots, slots)
  }

  yield* run(undoAccounts, left.last_batch_num, left.last_account_index)
  yield* run(unforge, left.next_transaction)
  yield* cutPostings(sql, "exits", left.next_exit)
  yield* run(closeExits, left.next_exit)
  yield* removeFrom("exit", left.next_exit)
  yield* cutPostings(sql, "transactions", left.next_transaction)
  yield* removeFrom("transaction", left.next_transaction)
  yield* removeFrom("queued_transaction", left.next_transaction)
  yield* cutPostings(sql, "accounts", left.next_account)
  yield* removeAbove("account", "account_index", left.last_account_index)
  yield* cutPostings(sql, "batches", left.next_batch)
  yield* removeAbove("batch", "batch_num", left.last_batch_num)

  yield* run(undoPrices, left.number, left.last_token_id, `${tokenVersion}`)
  yield* removeAfterBlock("price_change")
  yield* removeAbove("token", "token_id", left.last_token_id)

  const bidders = (yield* run<{ readonly bidder_addr: Uint8Array }>(biddersStatement, left.next_coordinator)).map(({ bidder_addr }) => bidder_addr)
  if (bidders.length > 0) {
    yield* cutPostings(sql, "coordinators", left.next_coordinator)
    yield* removeFrom("coordinator", left.next_coordinator)
    yield* run(forgetRegistrations, bidders)
    yield* run(restoreRegistrations, bidders)
  }
  yield* removeAfterBlock("block", "number")
})
