import { Clock, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { isPendingWithdraw } from "../../../core/domain/mod.ts"
import { type RollBackReport, stampBlocks } from "../../../core/ports/mod.ts"
import { bigintArray, insertInto } from "../connection/mod.ts"
import {
  type BlockRow,
  blockRow,
  computed,
  from,
  integer,
  queryOf,
  rollBackRow,
  selectRows,
  shape
} from "../entities/mod.ts"
import { notifyVersion, changedParts, setPartVersions } from "../notifications/mod.ts"
import {
  closeStatement,
  cutPostings,
  eachOfLastRows,
  listedRowsQuery,
  openExitEntries,
  openStatement,
  slotKey,
  slotKeys
} from "../postings/mod.ts"
import type { OverlayStart } from "./_load_overlay.ts"
import { updateWonSlots } from "./_won_slots.ts"
import type { WriteOverlay } from "./_write_overlay.ts"

/*
 * A rollback deletes a suffix of every table and restores the values that the deleted blocks
 * overwrote. The posting lists are cut first, by the rows to delete. Item ids are not reused.
 */

/** The last surviving block, and the number of blocks to delete. */
interface Surviving {
  readonly row: BlockRow
  readonly dropped: number
}
const surviving = shape<Surviving>({
  row: from("block", blockRow),
  dropped: computed(
    "(SELECT count(*) FROM block AS above WHERE above.number > block.number)",
    integer
  )
})
/** The genesis block always survives. */
const survivingBlock = queryOf(
  surviving,
  `block WHERE number = coalesce((SELECT max(number) FROM block WHERE number <= $1::numeric), (SELECT min(number) FROM block))`
)

const undoWithdrawals = `
UPDATE exit SET instant_withdrawn = CASE WHEN undone.instant THEN NULL ELSE instant_withdrawn END,
  delayed_withdraw_request = CASE WHEN undone.request THEN NULL ELSE delayed_withdraw_request END,
  delayed_withdrawn = CASE WHEN undone.collection THEN NULL ELSE delayed_withdrawn END
FROM (
  SELECT exit_item, bool_or(field = 0) AS instant, bool_or(field = 1) AS request, bool_or(field = 2) AS collection
  FROM withdrawal WHERE ethereum_block_num > $1::numeric AND exit_item < $2::bigint GROUP BY exit_item
) AS undone
WHERE exit.item_id = undone.exit_item RETURNING exit.item_id`
const closeExits = closeStatement(openExitEntries.source)
const exitsByItem = listedRowsQuery("exits", "r.item_id = ANY($1::bigint[])")
const openExits = openStatement(openExitEntries.source)

const slotsStatement = "SELECT DISTINCT slot_num FROM bid WHERE item_id >= $1::bigint"
const bestBidders = `unnest($1::bigint[]) AS asked (slot_num)
CROSS JOIN LATERAL (SELECT bidder_addr FROM bid WHERE bid.slot_num = asked.slot_num ORDER BY item_id DESC LIMIT 1) AS best`
const closeSlots = closeStatement(
  `SELECT keys.key, asked.slot_num AS item FROM ${bestBidders} CROSS JOIN LATERAL (${
    slotKeys("best.bidder_addr")
  }) AS keys`
)
const removeBids = "DELETE FROM bid WHERE item_id >= $1::bigint"
const openSlots = openStatement(
  `SELECT ${slotKey("best.bidder_addr")} AS key, asked.slot_num AS item FROM ${bestBidders}`
)
const firstSlotStatement =
  "SELECT min(first_slot) AS first_slot FROM parameter_set WHERE kind = 'auction' AND ethereum_block_num > $1::numeric"

/**
 * Restores and deletes, in one statement, all rows that need no other statement first. Each part of
 * it sees the rows before the statement. `$1` is the last surviving block; `$2` and `$3` are the
 * first exit and the first transaction, queued or not, to delete; `$4` to `$6` are the last
 * surviving batch, account and token; `$7` is the new token version.
 */
export const removal = `
WITH batches AS MATERIALIZED (SELECT batch_num, changed_accounts, nonces_before, balances_before FROM batch WHERE batch_num > $4::bigint),
-- the oldest batch that changed an account knows what it held before all of them; those that the
-- batches created have no values before
accounts_before AS (
  SELECT DISTINCT ON (updated.index) updated.index, updated.nonce, updated.balance
  FROM batches CROSS JOIN LATERAL unnest(changed_accounts, nonces_before, balances_before) AS updated (index, nonce, balance)
  WHERE updated.index <= $5::bigint ORDER BY updated.index, batches.batch_num
), accounts_undone AS (
  UPDATE account SET nonce = before.nonce, balance = before.balance FROM accounts_before AS before WHERE account.account_index = before.index
), prices_before AS (
  SELECT DISTINCT ON (token_id) token_id, price_usd_before, price_time_ms_before
  FROM price_change WHERE ethereum_block_num > $1::numeric AND token_id <= $6::bigint ORDER BY token_id, ethereum_block_num, place
), prices_undone AS (
  UPDATE token SET price_usd = before.price_usd_before, price_time_ms = before.price_time_ms_before, version = $7::bigint
  FROM prices_before AS before WHERE token.token_id = before.token_id
), waiting AS (
  UPDATE queued_transaction SET forged = false
  WHERE id = ANY (ARRAY(SELECT id FROM transaction WHERE item_id >= $3::bigint AND queue IS NOT NULL)) AND item_id < $3::bigint
), withdrawals_gone AS (
  DELETE FROM withdrawal WHERE ethereum_block_num > $1::numeric
), sets_gone AS (
  DELETE FROM parameter_set WHERE ethereum_block_num > $1::numeric
), price_changes_gone AS (
  DELETE FROM price_change WHERE ethereum_block_num > $1::numeric
), queued_gone AS (
  DELETE FROM queued_transaction WHERE item_id >= $3::bigint
), tokens_gone AS (
  DELETE FROM token WHERE token_id > $6::bigint
), exits_gone AS (
  DELETE FROM exit WHERE item_id >= $2::bigint
), transactions_gone AS (
  DELETE FROM transaction WHERE item_id >= $3::bigint
), accounts_gone AS (
  DELETE FROM account WHERE account_index > $5::bigint
), batches_gone AS (
  DELETE FROM batch WHERE batch_num > $4::bigint
)
DELETE FROM block WHERE number > $1::numeric`

const biddersStatement = "SELECT DISTINCT bidder_addr FROM coordinator WHERE item_id >= $1::bigint"
const removeCoordinators = "DELETE FROM coordinator WHERE item_id >= $1::bigint"
const deleteRegistrations = "DELETE FROM registration WHERE bidder_addr = ANY($1::bytea[])"
const restoreRegistrations = `
INSERT INTO registration (bidder_addr, forger_addr, item_id)
SELECT latest.bidder_addr, latest.forger_addr, latest.item_id FROM unnest($1::bytea[]) AS asked (bidder)
CROSS JOIN LATERAL (SELECT * FROM coordinator WHERE coordinator.bidder_addr = asked.bidder ORDER BY item_id DESC LIMIT 1) AS latest`

const insertRollBack = insertInto("rollback", rollBackRow.parameters)
const lastSerialStatement = "SELECT max(serial) AS serial FROM rollback"

const updateLedger = `
UPDATE ledger SET version = $1::bigint, token_version = $2::bigint, ethereum_block_num = $3::numeric, batch_num = $4::bigint, last_write = $5::uuid,
  ${setPartVersions(6)}, ${
  ["head_number", "head_hash", "head_timestamp_ms", "chain_head"].map((column) =>
    `${column} = CASE WHEN head_number <= $7::numeric THEN ${column} END`
  ).join(", ")
}
${notifyVersion}`

/**
 * Deletes every block above `toBlock`, and a head above it. The caller has locked the row of `ledger`, and the overlay
 * has its current state.
 */
export const rollBackTo = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  { head, lastBatchNum, lastBlock, stamp, start }: WriteOverlay,
  { toBlock, writeId }: { readonly toBlock: bigint; readonly writeId: string }
): Effect.fn.Return<RollBackReport, SqlError.SqlError> {
  const [found] = yield* selectRows(sql, survivingBlock, [`${toBlock}`])
  const { dropped, row } = found!
  if (dropped > 0) yield* deleteAbove(sql, row, start)
  const lastBatch = row.lastBatchNum
  const isHeadRemoved = head !== null && head.number > toBlock
  const after = {
    ...stampBlocks(row.block.number, isHeadRemoved ? null : head),
    batchNum: lastBatch === 0 ? null : lastBatch,
    version: stamp.version + 1
  }
  if (dropped > 0) {
    const [last] = yield* sql.unsafe<{ readonly serial: bigint | null }>(lastSerialStatement)
    yield* sql.unsafe(
      insertRollBack.text,
      insertRollBack.parameters([{
        serial: Number(last!.serial ?? 0n) + 1,
        version: after.version,
        lastBlock: row.block,
        removedBlock: lastBlock,
        blocks: dropped,
        batches: lastBatchNum - lastBatch,
        timeMs: yield* Clock.currentTimeMillis
      }])
    )
  }
  yield* sql.unsafe(updateLedger, [
    `${after.version}`,
    `${start.tokenVersion + 1}`,
    `${row.block.number}`,
    after.batchNum === null ? null : `${after.batchNum}`,
    writeId,
    changedParts(
      new Set(dropped > 0 ? ["rollBacks"] : isHeadRemoved ? ["head"] : [])
    ),
    `${toBlock}`
  ])
  return {
    toBlock,
    lastBlock: row.block,
    blocks: dropped,
    batches: lastBatchNum - lastBatch,
    lastBatchNum: lastBatch,
    stamp: after
  }
})

/** Deletes and restores the rows of all tables but `ledger`. */
const deleteAbove = Effect.fnUntraced(
  function*(
    sql: SqlClient.SqlClient,
    { block, lastAccountIndex, lastBatchNum, lastTokenId, next: first }: BlockRow,
    { next, tokenVersion }: OverlayStart
  ): Effect.fn.Return<void, SqlError.SqlError> {
    const run = <Row extends object>(statement: string, ...parameters: ReadonlyArray<unknown>) =>
      sql.unsafe<Row>(statement, parameters)
    for (
      const [name, list] of [
        ["transactions", "transaction"],
        ["accounts", "account"],
        ["batches", "batch"],
        ["bids", "bid"],
        ["coordinators", "coordinator"]
      ] as const
    ) {
      if (first[list] === next[list]) continue
      yield* eachOfLastRows(sql, name, BigInt(first[list]), (rows) => cutPostings(sql, name, rows))
    }
    if (first.exit < next.exit) {
      yield* eachOfLastRows(sql, "exits", BigInt(first.exit), (exits) =>
        Effect.andThen(
          cutPostings(sql, "exits", exits),
          run(closeExits, ...openExitEntries.parameters(exits))
        ))
    }
    const reopened = yield* run<{ readonly item_id: bigint }>(
      undoWithdrawals,
      `${block.number}`,
      `${first.exit}`
    )
    if (reopened.length > 0) {
      const exits = yield* selectRows(sql, exitsByItem, [
        bigintArray(reopened.map(({ item_id }) => item_id))
      ])
      yield* run(openExits, ...openExitEntries.parameters(exits.filter(isPendingWithdraw)))
    }
    const slots = first.bid < next.bid
      ? (yield* run<{ readonly slot_num: bigint }>(slotsStatement, `${first.bid}`))
        .map(({ slot_num }) => slot_num)
      : []
    if (slots.length > 0) {
      yield* run(closeSlots, bigintArray(slots))
      yield* run(removeBids, `${first.bid}`)
      yield* run(openSlots, bigintArray(slots))
    }
    const [sets] = yield* run<{ readonly first_slot: bigint | null }>(
      firstSlotStatement,
      `${block.number}`
    )
    if (first.coordinator < next.coordinator) {
      const bidders = (yield* run<{ readonly bidder_addr: Uint8Array }>(
        biddersStatement,
        `${first.coordinator}`
      ))
        .map(({ bidder_addr }) => bidder_addr)
      yield* run(removeCoordinators, `${first.coordinator}`)
      yield* run(deleteRegistrations, bidders)
      yield* run(restoreRegistrations, bidders)
    }
    yield* run(
      removal,
      `${block.number}`,
      `${first.exit}`,
      `${first.transaction}`,
      `${lastBatchNum}`,
      `${lastAccountIndex}`,
      `${lastTokenId}`,
      `${tokenVersion + 1}`
    )
    yield* updateWonSlots(sql, { slots, firstSlot: sets!.first_slot })
  }
)
