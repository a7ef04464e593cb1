import { Effect, Fiber } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type Exit, isPendingWithdraw } from "../../core/domain/mod.ts"
import { appendEntries, appendPostings } from "./_append_postings.ts"
import * as columns from "./_ledger_columns.ts"
import { closeStatement, openExitSource, openStatement, slotKey } from "./_open_items.ts"
import {
  bigintArray,
  insertInto,
  parametersOf,
  type RowStatement,
  rowsOf,
  updateOf
} from "./_parameters.ts"
import { partFlags, raiseParts } from "./_part_versions.ts"
import { entriesOf, type KnownAdditions, type ListedEntries } from "./_posting_entries.ts"
import type { WriteOverlay } from "./_view.ts"
import { announcingVersion } from "./versions.ts"

type Writing = Effect.Effect<void, SqlError.SqlError>

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
/** Of the auction variables up to a block those that later ones, from that block on, supersede. */
const supersedeSets = `
UPDATE parameter_set AS old SET superseded_by = (
  SELECT min(later.ethereum_block_num) FROM parameter_set AS later
  WHERE later.kind = 'auction' AND later.ethereum_block_num > old.ethereum_block_num AND later.first_slot <= old.first_slot
)
WHERE old.superseded_by IS NULL
  AND old.first_slot >= (SELECT min(first_slot) FROM parameter_set WHERE kind = 'auction' AND ethereum_block_num >= $1::numeric)`
const updateExits = updateOf("exit", "item_id", columns.exitUpdateColumns)
const insertWithdrawals = insertInto("withdrawal", columns.withdrawalColumns)

const openExits = openStatement(openExitSource("r.item_id = ANY($1::bigint[])"))
const closeExits = closeStatement(openExitSource("r.item_id = ANY($1::bigint[])"))
const heldSlots = `SELECT ${slotKey("r.bidder")} AS key, r.item FROM ${
  rowsOf("r", columns.heldSlotColumns)
}`
const openSlots = openStatement(heldSlots)
const closeSlots = closeStatement(heldSlots)

const updateLedger = `
UPDATE ledger SET version = $1::bigint, token_version = $2::bigint, ethereum_block_num = $3::numeric, batch_num = $4::bigint, last_write = $5::uuid,
  next_account = $6::bigint, next_exit = $7::bigint, next_transaction = $8::bigint, next_batch = $9::bigint, next_bid = $10::bigint, next_token = $11::bigint,
  next_coordinator = $12::bigint, ${raiseParts(13)}
${announcingVersion}`

/**
 * Writes the rows that a working view noted, set by set; the caller holds the ledger's row. `recent` are additions of transactions that
 * were written before; gives those of the new ones.
 */
export const writeRows = (
  sql: SqlClient.SqlClient,
  view: WriteOverlay,
  writeId: string,
  recent: KnownAdditions
): Effect.Effect<ListedEntries["additions"], SqlError.SqlError> => {
  const run = (statement: string, parameters: ReadonlyArray<string | null>): Writing =>
    Effect.asVoid(sql.unsafe(statement, parameters))
  const write = <Row>({ parameters, text }: RowStatement<Row>, rows: ReadonlyArray<Row>): Writing =>
    rows.length === 0 ? Effect.void : Effect.suspend(() => run(text, parameters(rows)))
  const some = (statement: string, items: ReadonlyArray<number>): Writing =>
    items.length === 0 ? Effect.void : run(statement, [bigintArray(items)])
  const { next, rows, start } = view
  const tokensChanged = rows.tokens.length + rows.pricedTokens.size > 0
  const version = start.tokenVersion + (tokensChanged ? 1 : 0)
  const versioned = (ids: Iterable<number>) =>
    [...ids].map((id) => ({ ...view.token(id)!, version }))
  const now = (exit: Exit): Exit => view.exit(exit.batchNum, exit.accountIndex)!
  const withdrawn = [...rows.withdrawnExits.values()]
  const slots = slotsThatChangeHands(view)

  return Effect.gen(function*() {
    yield* write(insertBlocks, rows.blocks)
    yield* write(insertCoordinators, rows.coordinators)
    yield* write(upsertRegistrations, [
      ...new Map(rows.coordinators.map((row) => [row.bidderAddr, row])).values()
    ])
    yield* write(insertTokens, versioned(rows.tokens))
    yield* write(
      updatePrices,
      versioned([...rows.pricedTokens].filter((id) => id <= start.lastTokenId))
    )
    yield* write(insertPriceChanges, rows.priceChanges)
    yield* write(
      insertQueued,
      [...rows.queued.values()].map((row) => ({ ...row, forged: rows.forged.has(row.itemId) }))
    )
    yield* some(forgeStatement, [...rows.forged].filter((itemId) => !rows.queued.has(itemId)))
    yield* write(insertBatches, rows.batches)
    yield* write(insertAccounts, rows.accounts.map((index) => view.account(index)!))
    yield* write(updateAccounts, [...rows.updatedAccounts].map((index) => view.account(index)!))
    // the most work for both sides: while the database writes the rows, their entries are made here
    const inserting = yield* Effect.forkChild(write(insertTransactions, rows.transactions))
    const listed = yield* entriesOf("transactions", rows.transactions)
    yield* Fiber.join(inserting)
    yield* write(insertExits, rows.exits.map(now))
    yield* write(insertBids, rows.bids)
    yield* write(insertParameterSets, rows.parameterSets)
    const auction = rows.parameterSets.find(({ kind }) => kind === "auction")
    if (auction !== undefined) yield* run(supersedeSets, [`${auction.blockNum}`])
    yield* write(updateExits, withdrawn.map(now))
    yield* write(insertWithdrawals, rows.withdrawals)
    yield* some(
      closeExits,
      withdrawn.filter((before) => isPendingWithdraw(before) && !isPendingWithdraw(now(before)))
        .map(({ itemId }) => itemId)
    )
    yield* some(
      openExits,
      rows.exits.filter((exit) => isPendingWithdraw(now(exit))).map(({ itemId }) => itemId)
    )
    if (slots.lost.length > 0) {
      yield* run(closeSlots, parametersOf(columns.heldSlotColumns, slots.lost))
    }
    if (slots.won.length > 0) {
      yield* run(openSlots, parametersOf(columns.heldSlotColumns, slots.won))
    }
    yield* appendPostings(sql, "accounts", rows.accounts.map((index) => view.account(index)!))
    yield* appendPostings(sql, "exits", rows.exits)
    yield* appendEntries(sql, "transactions", listed, {
      get: (item) => listed.additions.get(item) ?? recent.get(item)
    })
    yield* appendPostings(sql, "batches", rows.batches.map(({ batch }) => batch))
    yield* appendPostings(sql, "bids", rows.bids)
    yield* appendPostings(sql, "coordinators", rows.coordinators)
    const { batchNum, ethereumBlockNum, version: stampVersion } = view.stamp
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
      partFlags(view.changedParts)
    ])
    return listed.additions
  })
}

const slotsThatChangeHands = ({ bestBid, rows }: WriteOverlay) => {
  const changed = [...rows.bidSlots].flatMap(([slotNum, before]) => {
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
