import { Effect, Fiber } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type Exit, type HeadFeed, isPendingWithdraw } from "../../../core/domain/mod.ts"
import {
  bigintArray,
  insertInto,
  parametersOf,
  type RowStatement,
  rowsOf,
  updateOf
} from "../connection/mod.ts"
import { notifyVersion, changedParts, setPartVersions } from "../notifications/mod.ts"
import {
  appendEntries,
  appendPostings,
  closeStatement,
  entriesOf,
  type KnownSuffixes,
  type ListedEntries,
  openExitSource,
  openStatement,
  slotKey,
  slotKeys
} from "../postings/mod.ts"
import * as columns from "./_ledger_columns.ts"
import type { ParameterSet } from "./_rows_to_write.ts"
import { updateWonSlots } from "./_won_slots.ts"
import type { WriteOverlay } from "./_write_overlay.ts"

const insertBlocks = insertInto("block", columns.blockColumns)
const insertCoordinators = insertInto("coordinator", columns.coordinatorColumns)
const upsertRegistrations = insertInto(
  "registration",
  columns.registrationColumns,
  "ON CONFLICT (bidder_addr) DO UPDATE SET forger_addr = excluded.forger_addr, item_id = excluded.item_id"
)
const insertTokens = insertInto("token", columns.tokenColumns)
const updatePrices = updateOf("token", "token_id", columns.priceColumns)
const insertPriceChanges = insertInto("price_change", columns.priceChangeColumns)
const insertQueued = insertInto("queued_transaction", columns.queuedColumns)
const forgeStatement =
  "UPDATE queued_transaction SET forged = true WHERE item_id = ANY($1::bigint[])"
const insertBatches = insertInto("batch", columns.batchColumns)
const insertAccounts = insertInto("account", columns.accountColumns)
const updateAccounts = updateOf("account", "account_index", columns.accountUpdateColumns)
const insertTransactions = insertInto("transaction", columns.transactionColumns)
const insertExits = insertInto("exit", columns.exitColumns)
const insertBids = insertInto("bid", columns.bidColumns)
const insertParameterSets = insertInto("parameter_set", columns.parameterSetColumns)
const updateExits = updateOf("exit", "item_id", columns.exitUpdateColumns)
const insertWithdrawals = insertInto("withdrawal", columns.withdrawalColumns)

const openExits = openStatement(openExitSource("r.item_id = ANY($1::bigint[])"))
const closeExits = closeStatement(openExitSource("r.item_id = ANY($1::bigint[])"))
const heldSlots = `SELECT ${slotKey("r.bidder")} AS key, r.item FROM ${
  rowsOf("r", columns.heldSlotColumns)
}`
const openSlots = openStatement(heldSlots)
const closeSlots = closeStatement(
  `SELECT keys.key, r.item FROM ${rowsOf("r", columns.heldSlotColumns)} CROSS JOIN LATERAL (${
    slotKeys("r.bidder")
  }) AS keys`
)

const updateLedger = `
UPDATE ledger SET version = $1::bigint, token_version = $2::bigint, ethereum_block_num = $3::numeric, batch_num = $4::bigint, last_write = $5::uuid,
  next_account = $6::bigint, next_exit = $7::bigint, next_transaction = $8::bigint, next_batch = $9::bigint, next_bid = $10::bigint, next_token = $11::bigint,
  next_coordinator = $12::bigint, ${setPartVersions(13)},
  head_number = $14::numeric, head_hash = $15::bytea, head_timestamp_ms = $16::bigint, chain_head = $17::numeric
${notifyVersion}`

/**
 * Writes the rows that an overlay collected, table by table. The caller has locked the row of
 * `ledger`. Returns the key suffixes of the new transactions.
 *
 * @param recent the key suffixes of transactions of earlier writes, which need not be read again
 */
export const writeRows = (
  sql: SqlClient.SqlClient,
  overlay: WriteOverlay,
  writeId: string,
  recent: KnownSuffixes
): Effect.Effect<ListedEntries["suffixes"], SqlError.SqlError> => {
  const run = (statement: string, parameters: ReadonlyArray<string | null>) =>
    Effect.asVoid(sql.unsafe(statement, parameters))
  const write = <Row>({ parameters, text }: RowStatement<Row>, rows: ReadonlyArray<Row>) =>
    rows.length === 0 ? Effect.void : Effect.suspend(() => run(text, parameters(rows)))
  const runForItems = (statement: string, items: ReadonlyArray<number>) =>
    items.length === 0 ? Effect.void : run(statement, [bigintArray(items)])
  const { next, rows, start } = overlay
  const tokensChanged = rows.tokens.length + rows.pricedTokens.size > 0
  const version = start.tokenVersion + (tokensChanged ? 1 : 0)
  const tokensOf = (ids: Iterable<number>) =>
    [...ids].map((id) => ({ ...overlay.token(id)!, version }))
  const currentExit = (exit: Exit): Exit => overlay.exit(exit.batchNum, exit.accountIndex)!
  const withdrawn = [...rows.withdrawnExits.values()]
  const slots = slotChangesOf(overlay)

  return Effect.gen(function*() {
    yield* write(insertBlocks, rows.blocks)
    yield* write(insertCoordinators, rows.coordinators)
    yield* write(upsertRegistrations, [
      ...new Map(rows.coordinators.map((row) => [row.bidderAddr, row])).values()
    ])
    yield* write(insertTokens, tokensOf(rows.tokens))
    yield* write(
      updatePrices,
      tokensOf([...rows.pricedTokens].filter((id) => id <= start.lastTokenId))
    )
    yield* write(insertPriceChanges, rows.priceChanges)
    yield* write(
      insertQueued,
      [...rows.queued.values()].map((row) => ({ ...row, forged: rows.forgedItems.has(row.itemId) }))
    )
    yield* runForItems(
      forgeStatement,
      [...rows.forgedItems].filter((itemId) => !rows.queued.has(itemId))
    )
    yield* write(insertBatches, rows.batches)
    yield* write(insertAccounts, rows.accounts.map((index) => overlay.account(index)!))
    yield* write(updateAccounts, [...rows.updatedAccounts].map((index) => overlay.account(index)!))
    // these two take the longest: compute the posting entries while the database inserts the rows
    const inserting = yield* Effect.forkChild(write(insertTransactions, rows.transactions))
    const listed = yield* entriesOf("transactions", rows.transactions)
    yield* Fiber.join(inserting)
    yield* write(insertExits, rows.exits.map(currentExit))
    yield* write(insertBids, rows.bids)
    yield* write(insertParameterSets, rows.parameterSets)
    yield* write(updateExits, withdrawn.map(currentExit))
    yield* write(insertWithdrawals, rows.withdrawals)
    yield* runForItems(
      closeExits,
      withdrawn.flatMap((before) =>
        isPendingWithdraw(before) && !isPendingWithdraw(currentExit(before)) ? [before.itemId] : []
      )
    )
    yield* runForItems(
      openExits,
      rows.exits.filter((exit) => isPendingWithdraw(currentExit(exit))).map(({ itemId }) => itemId)
    )
    if (slots.lost.length > 0) {
      yield* run(closeSlots, parametersOf(columns.heldSlotColumns, slots.lost))
    }
    if (slots.won.length > 0) {
      yield* run(openSlots, parametersOf(columns.heldSlotColumns, slots.won))
    }
    yield* updateWonSlots(sql, {
      slots: [...rows.biddersBefore.keys()],
      firstSlot: firstSlotOf(rows.parameterSets)
    })
    yield* appendPostings(sql, "accounts", rows.accounts.map((index) => overlay.account(index)!))
    yield* appendPostings(sql, "exits", rows.exits)
    yield* appendEntries(sql, "transactions", listed, {
      get: (item) => listed.suffixes.get(item) ?? recent.get(item)
    })
    yield* appendPostings(sql, "batches", rows.batches.map(({ batch }) => batch))
    yield* appendPostings(
      sql,
      "bids",
      rows.bids.map((bid) => ({ itemId: bid.itemId, bid }))
    )
    yield* appendPostings(sql, "coordinators", rows.coordinators)
    const { batchNum, ethereumBlockNum, version: stampVersion } = overlay.stamp
    const numbers = [
      next.account,
      next.exit,
      next.transaction,
      next.batch,
      next.bid,
      next.token,
      next.coordinator
    ]
    yield* run(updateLedger, [
      `${stampVersion}`,
      `${version}`,
      `${ethereumBlockNum}`,
      batchNum === null ? null : `${batchNum}`,
      writeId,
      ...numbers.map(String),
      changedParts(overlay.changedParts),
      ...headParameters(overlay.head)
    ])
    return listed.suffixes
  })
}

const headParameters = (head: HeadFeed | null): ReadonlyArray<string | null> =>
  head === null
    ? [null, null, null, null]
    : [`${head.number}`, `\\x${head.hash.slice(2)}`, `${head.timestampMs}`, `${head.chainHead}`]

/** Returns the first slot whose default bids the sets change; null if none. */
const firstSlotOf = (sets: ReadonlyArray<ParameterSet>): number | null => {
  const slots = sets.flatMap(({ set }) =>
    "defaultSlotSetBidFirstSlot" in set ? [set.defaultSlotSetBidFirstSlot] : []
  )
  return slots.length === 0 ? null : Math.min(...slots)
}

/** Returns the slots whose best bid is by a different bidder than before the write. */
const slotChangesOf = ({ bestBid, rows }: WriteOverlay) => {
  const changed = [...rows.biddersBefore].flatMap(([slotNum, before]) => {
    const bidder = bestBid(slotNum)!.bidderAddr
    return bidder === before ? [] : [{ slotNum, before, bidder }]
  })
  return {
    lost: changed.flatMap(({ before, slotNum }) =>
      before === null ? [] : [{ bidder: before, slotNum }]
    ),
    won: changed.map(({ bidder, slotNum }) => ({ bidder, slotNum }))
  }
}
