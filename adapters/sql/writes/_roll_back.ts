import { Clock, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { isPendingWithdraw } from "../../../core/domain/mod.ts"
import type { NextItemIds, RollBackReport } from "../../../core/ports/mod.ts"
import { placeRollBack } from "../../../core/use_cases/mod.ts"
import { bigintArray } from "../connection/mod.ts"
import {
  type BlockRow,
  blockRow,
  computed,
  from,
  inferredShape,
  integer,
  queryOf,
  selectRows
} from "../entities/mod.ts"
import {
  closeStatement,
  cutPostings,
  eachOfLastRows,
  listedRowsByItem,
  openExitEntries,
  openStatement
} from "../postings/mod.ts"
import type { LoadedLedger } from "./_load_ledger.ts"
import { insertRollBacks, updateLedger } from "./_write_rows.ts"
import { closeSlots, openSlots } from "./_held_slots.ts"

/*
 * A rollback deletes a suffix of every table and restores the values that the deleted blocks
 * overwrote. The posting lists are cut first, by the rows to delete. Item ids are not reused.
 */

/** The last surviving block, and the number of blocks to delete. */
const surviving = inferredShape({
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
const openExits = openStatement(openExitEntries.source)

const slotsStatement = "SELECT DISTINCT slot_num FROM bid WHERE item_id >= $1::bigint"
const deleteBids = "DELETE FROM bid WHERE item_id >= $1::bigint"
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
const deleteCoordinators = "DELETE FROM coordinator WHERE item_id >= $1::bigint"
const deleteRegistrations = "DELETE FROM registration WHERE bidder_addr = ANY($1::bytea[])"
const restoreRegistrations = `
INSERT INTO registration (bidder_addr, forger_addr, item_id)
SELECT latest.bidder_addr, latest.forger_addr, latest.item_id FROM unnest($1::bytea[]) AS asked (bidder)
CROSS JOIN LATERAL (SELECT * FROM coordinator WHERE coordinator.bidder_addr = asked.bidder ORDER BY item_id DESC LIMIT 1) AS latest`

/**
 * Deletes every block above `toBlock`, and a head above it. `ledger` is the current state, whose row
 * the caller has locked.
 */
export const rollBackTo = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  ledger: LoadedLedger,
  { toBlock, writeId }: { readonly toBlock: bigint; readonly writeId: string }
): Effect.fn.Return<RollBackReport, SqlError.SqlError> {
  const [found] = yield* selectRows(sql, survivingBlock, [`${toBlock}`])
  const { dropped, row } = found!
  const { entry, parts, report, ...after } = placeRollBack(ledger, {
    toBlock,
    lastBlock: row.block,
    lastBatchNum: row.lastBatchNum,
    blocks: dropped,
    timeMs: yield* Clock.currentTimeMillis
  })
  if (entry !== null) {
    yield* deleteAbove(sql, row, ledger)
    yield* insertRollBacks(sql, [entry])
  }
  const { next, tokenVersion } = ledger
  yield* updateLedger(
    sql,
    { ...after, parts: new Set(parts), next, tokenVersion: tokenVersion + 1 },
    writeId
  )
  return report
})

/** Deletes and restores the rows of all tables but `ledger`. `after` is the last surviving block. */
const deleteAbove = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, after: BlockRow, ledger: LoadedLedger) {
    const { block, next: first } = after
    yield* cutLists(sql, first, ledger.next)
    yield* reopenExits(sql, after)
    const slots = first.bids < ledger.next.bids ? yield* removeBids(sql, first.bids) : []
    const [sets] = yield* sql.unsafe<{ readonly first_slot: bigint | null }>(firstSlotStatement, [
      `${block.number}`
    ])
    if (first.coordinators < ledger.next.coordinators) {
      yield* removeCoordinators(sql, first.coordinators)
    }
    yield* sql.unsafe(removal, [
      `${block.number}`,
      `${first.exits}`,
      `${first.transactions}`,
      `${after.lastBatchNum}`,
      `${after.lastAccountIndex}`,
      `${after.lastTokenId}`,
      `${ledger.tokenVersion + 1}`
    ])
    yield* openSlots(sql, { slots, firstSlot: sets!.first_slot })
  }
)

/** Cuts the posting lists of the items from `first` on. */
const cutLists = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, first: NextItemIds, next: NextItemIds) {
    for (
      const name of ["transactions", "accounts", "batches", "bids", "coordinators"] as const
    ) {
      if (first[name] === next[name]) continue
      yield* eachOfLastRows(sql, name, BigInt(first[name]), (rows) => cutPostings(sql, name, rows))
    }
    if (first.exits === next.exits) return
    yield* eachOfLastRows(sql, "exits", BigInt(first.exits), (exits) =>
      Effect.andThen(
        cutPostings(sql, "exits", exits),
        sql.unsafe(closeExits, openExitEntries.parameters(exits))
      ))
  }
)

/** Undoes the withdrawals of the surviving exits, and lists those that can be withdrawn again. */
const reopenExits = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, { block, next }: BlockRow) {
    const reopened = yield* sql.unsafe<{ readonly item_id: bigint }>(undoWithdrawals, [
      `${block.number}`,
      `${next.exits}`
    ])
    if (reopened.length === 0) return
    const exits = yield* selectRows(sql, listedRowsByItem("exits"), [
      bigintArray(reopened.map(({ item_id }) => item_id))
    ])
    yield* sql.unsafe(openExits, openExitEntries.parameters(exits.filter(isPendingWithdraw)))
  }
)

/** Deletes the bids from an item id on. Returns their slots, which are in no list then. */
const removeBids = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, first: number) {
  const rows = yield* sql.unsafe<{ readonly slot_num: bigint }>(slotsStatement, [`${first}`])
  const slots = rows.map(({ slot_num }) => slot_num)
  if (slots.length === 0) return slots
  yield* closeSlots(sql, slots)
  yield* sql.unsafe(deleteBids, [`${first}`])
  return slots
})

/** Deletes the registrations from an item id on, and restores the earlier ones of their bidders. */
const removeCoordinators = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, first: number) {
  const rows = yield* sql.unsafe<{ readonly bidder_addr: Uint8Array }>(biddersStatement, [
    `${first}`
  ])
  const bidders = rows.map(({ bidder_addr }) => bidder_addr)
  yield* sql.unsafe(deleteCoordinators, [`${first}`])
  yield* sql.unsafe(deleteRegistrations, [bidders])
  yield* sql.unsafe(restoreRegistrations, [bidders])
})
