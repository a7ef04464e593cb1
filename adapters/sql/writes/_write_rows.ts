import { Effect, Fiber } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type Exit, type HeadFeed, isPendingWithdraw } from "../../../core/domain/mod.ts"
import {
  bigintArray,
  bigints,
  hexBytes,
  insertInto,
  parametersOf,
  type RowStatement,
  rowsOf,
  updateOf
} from "../connection/mod.ts"
import {
  account,
  batchRow,
  bid,
  blockRow,
  coordinator,
  exit,
  nextItems,
  type ParameterSet,
  parameterSet,
  priceChange,
  registration,
  storedQueuedTransaction,
  transaction,
  versionedToken,
  withdrawal
} from "../entities/mod.ts"
import { notifyVersion, changedParts, setPartVersions } from "../notifications/mod.ts"
import {
  appendEntries,
  appendPostings,
  closeStatement,
  entriesOf,
  type KnownSuffixes,
  type ListedEntries,
  openExitEntries,
  openStatement,
  slotKey,
  slotKeys
} from "../postings/mod.ts"
import { updateWonSlots } from "./_won_slots.ts"
import type { WriteOverlay } from "./_write_overlay.ts"

const insertBlocks = insertInto("block", blockRow.parameters)
const insertCoordinators = insertInto("coordinator", coordinator.parameters)
const upsertRegistrations = insertInto(
  "registration",
  registration.parameters,
  "ON CONFLICT (bidder_addr) DO UPDATE SET forger_addr = excluded.forger_addr, item_id = excluded.item_id"
)
const insertTokens = insertInto("token", versionedToken.parameters)
const updatePrices = updateOf(
  "token",
  "token_id",
  versionedToken.parametersOf("id", "priceUSD", "priceTimeMs", "version")
)
const insertPriceChanges = insertInto("price_change", priceChange.parameters)
const insertQueued = insertInto("queued_transaction", storedQueuedTransaction.parameters)
const forgeStatement =
  "UPDATE queued_transaction SET forged = true WHERE item_id = ANY($1::bigint[])"
const insertBatches = insertInto("batch", batchRow.parameters)
const insertAccounts = insertInto("account", account.parameters)
const updateAccounts = updateOf(
  "account",
  "account_index",
  account.parametersOf("index", "nonce", "balance")
)
const insertTransactions = insertInto("transaction", transaction.parameters)
const insertExits = insertInto("exit", exit.parameters)
const insertBids = insertInto("bid", bid.parameters)
const insertParameterSets = insertInto("parameter_set", parameterSet.parameters)
const updateExits = updateOf(
  "exit",
  "item_id",
  exit.parametersOf("itemId", "instantWithdrawn", "delayedWithdrawRequest", "delayedWithdrawn")
)
const insertWithdrawals = insertInto("withdrawal", withdrawal.parameters)

/** A slot and the bidder with its best bid. */
interface HeldSlot {
  readonly bidder: string
  readonly slotNum: number
}
const heldSlot = {
  bidder: hexBytes<HeldSlot>(({ bidder }) => bidder),
  item: bigints<HeldSlot>(({ slotNum }) => slotNum)
}

const openExits = openStatement(openExitEntries.source)
const closeExits = closeStatement(openExitEntries.source)
const heldSlots = `SELECT ${slotKey("r.bidder")} AS key, r.item FROM ${rowsOf("r", heldSlot)}`
const openSlots = openStatement(heldSlots)
const closeSlots = closeStatement(
  `SELECT keys.key, r.item FROM ${rowsOf("r", heldSlot)} CROSS JOIN LATERAL (${
    slotKeys("r.bidder")
  }) AS keys`
)

const nextColumns = nextItems.columns.map(({ name }) => name)
const updateLedger = `
UPDATE ledger SET version = $1::bigint, token_version = $2::bigint, ethereum_block_num = $3::numeric, batch_num = $4::bigint, last_write = $5::uuid,
  ${
  setPartVersions(6)
}, head_number = $7::numeric, head_hash = $8::bytea, head_timestamp_ms = $9::bigint, chain_head = $10::numeric,
  ${nextColumns.map((name, i) => `${name} = $${i + 11}::bigint`).join(", ")}
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
  const runForExits = (statement: string, exits: ReadonlyArray<Exit>) =>
    exits.length === 0 ? Effect.void : run(statement, openExitEntries.parameters(exits))
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
    yield* runForExits(
      closeExits,
      withdrawn.filter((before) =>
        isPendingWithdraw(before) && !isPendingWithdraw(currentExit(before))
      )
    )
    yield* runForExits(openExits, rows.exits.map(currentExit).filter(isPendingWithdraw))
    if (slots.lost.length > 0) {
      yield* run(closeSlots, parametersOf(heldSlot, slots.lost))
    }
    if (slots.won.length > 0) {
      yield* run(openSlots, parametersOf(heldSlot, slots.won))
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
    yield* run(updateLedger, [
      `${stampVersion}`,
      `${version}`,
      `${ethereumBlockNum}`,
      batchNum === null ? null : `${batchNum}`,
      writeId,
      changedParts(overlay.changedParts),
      ...headParameters(overlay.head),
      ...nextItems.columns.map(({ get }) => String(get(next)))
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
  const slots = sets.flatMap(({ firstSlot }) => firstSlot === null ? [] : [firstSlot])
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
