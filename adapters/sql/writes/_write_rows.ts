import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import {
  type HeadFeed,
  isPendingWithdraw,
  type Token,
  withdrawalFields
} from "../../../core/domain/mod.ts"
import type { LedgerRollBack } from "../../../core/ports/mod.ts"
import { bigintArray, insertInto, type RowStatement, updateOf } from "../connection/mod.ts"
import {
  account,
  batchRow,
  bid,
  blockRow,
  coordinator,
  exit,
  nextItemIds,
  type ParameterSet,
  parameterSet,
  priceChange,
  registration,
  rollBackRow,
  storedQueuedTransaction,
  transaction,
  versionedToken,
  withdrawal
} from "../entities/mod.ts"
import { notifyVersion, changedParts, setPartVersions } from "../notifications/mod.ts"
import { appendPostings, closeStatement, openExitEntries, openStatement } from "../postings/mod.ts"
import type { ChangedRows } from "./_changed_rows.ts"
import { closeSlots, openSlots } from "./_held_slots.ts"

const insertBlocks = insertInto("block", blockRow.parameters)
const insertCoordinators = insertInto("coordinator", coordinator.parameters)
const upsertRegistrations = insertInto(
  "registration",
  registration.parameters,
  {
    ending:
      "ON CONFLICT (bidder_addr) DO UPDATE SET forger_addr = excluded.forger_addr, item_id = excluded.item_id"
  }
)
const insertTokens = insertInto("token", versionedToken.parameters)
const updatePrices = updateOf(
  "token",
  "token_id",
  versionedToken.parametersOf("id", "priceUSD", "priceTimeMs", "version")
)
const insertPriceChanges = insertInto("price_change", priceChange.parameters)
const insertQueued = insertInto("queued_transaction", storedQueuedTransaction.parameters)
const setForged: RowStatement<number> = {
  text: "UPDATE queued_transaction SET forged = true WHERE item_id = ANY($1::bigint[])",
  parameters: (items) => [bigintArray(items)]
}
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
  exit.parametersOf("itemId", ...withdrawalFields)
)
const insertWithdrawals = insertInto("withdrawal", withdrawal.parameters)

const openExits = { ...openExitEntries, text: openStatement(openExitEntries.source) }
const closeExits = { ...openExitEntries, text: closeStatement(openExitEntries.source) }

const insertRollBackRows = insertInto("rollback", rollBackRow.parameters)
const lastSerialStatement = "SELECT max(serial) AS serial FROM rollback"

const nextColumns = nextItemIds.columns.map(({ name }) => name)
const updateLedgerRow = `
UPDATE ledger SET version = $1::bigint, token_version = $2::bigint, ethereum_block_num = $3::numeric, batch_num = $4::bigint, last_write = $5::uuid,
  ${
  setPartVersions(6)
}, head_number = $7::numeric, head_hash = $8::bytea, head_timestamp_ms = $9::bigint, chain_head = $10::numeric,
  ${nextColumns.map((name, i) => `${name} = $${i + 11}::bigint`).join(", ")}
${notifyVersion}`

/** Writes rows, table by table. The caller has locked the row of `ledger`. */
export const writeRows = Effect.fnUntraced(
  function*(
    sql: SqlClient.SqlClient,
    rows: ChangedRows,
    writeId: string
  ): Effect.fn.Return<void, SqlError.SqlError> {
    const write = rowWriter(sql)
    yield* writeTokensAndQueues(write, rows)
    yield* write(insertBatches, rows.batches)
    yield* write(insertAccounts, rows.accounts)
    yield* write(updateAccounts, rows.updatedAccounts)
    yield* write(insertTransactions, rows.transactions)
    yield* writeExits(sql, rows)
    const slots = [...new Set(rows.bids.map(({ slotNum }) => slotNum))]
    yield* closeSlots(sql, slots)
    yield* write(insertBids, rows.bids)
    yield* write(insertParameterSets, rows.parameterSets)
    yield* openSlots(sql, { slots, firstSlot: firstSlotOf(rows.parameterSets) })
    yield* appendPostings(sql, "accounts", rows.accounts)
    yield* appendPostings(sql, "exits", rows.exits)
    yield* appendPostings(sql, "transactions", rows.transactions)
    yield* appendPostings(sql, "batches", rows.batches.map(({ batch }) => batch))
    yield* appendPostings(
      sql,
      "bids",
      rows.bids.map((bid) => ({ itemId: bid.itemId, bid }))
    )
    yield* appendPostings(sql, "coordinators", rows.coordinators)
    yield* insertRollBacks(sql, rows.rollBacks)
    yield* updateLedger(sql, rows, writeId)
  }
)

type WriteRows = <Row>(
  statement: RowStatement<Row>,
  rows: ReadonlyArray<Row>
) => Effect.Effect<void, SqlError.SqlError>

const rowWriter = (sql: SqlClient.SqlClient): WriteRows => ({ parameters, text }, rows) =>
  rows.length === 0
    ? Effect.void
    : Effect.suspend(() => Effect.asVoid(sql.unsafe(text, parameters(rows))))

const writeTokensAndQueues = Effect.fnUntraced(function*(write: WriteRows, rows: ChangedRows) {
  const versioned = (tokens: ReadonlyArray<Token>) =>
    tokens.map((row) => ({ ...row, version: rows.tokenVersion }))
  yield* write(insertBlocks, rows.blocks)
  yield* write(insertCoordinators, rows.coordinators)
  yield* write(upsertRegistrations, [
    ...new Map(rows.coordinators.map((row) => [row.bidderAddr, row])).values()
  ])
  yield* write(insertTokens, versioned(rows.tokens))
  yield* write(updatePrices, versioned(rows.pricedTokens))
  yield* write(insertPriceChanges, rows.priceChanges)
  yield* write(insertQueued, rows.queued)
  yield* write(setForged, rows.forgedItems)
})

const writeExits = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, { exits, withdrawals, withdrawnExits }: ChangedRows) {
    const write = rowWriter(sql)
    yield* write(insertExits, exits)
    yield* write(updateExits, withdrawnExits.map(({ after }) => after))
    yield* write(insertWithdrawals, withdrawals)
    yield* write(
      closeExits,
      withdrawnExits.flatMap(({ after, before }) =>
        isPendingWithdraw(before) && !isPendingWithdraw(after) ? [before] : []
      )
    )
    yield* write(openExits, exits.filter(isPendingWithdraw))
  }
)

/** Updates the row of `ledger`, and notifies other processes of its version. */
export const updateLedger = (
  sql: SqlClient.SqlClient,
  { head, next, parts, snapshotId, tokenVersion }: Pick<
    ChangedRows,
    "head" | "next" | "parts" | "snapshotId" | "tokenVersion"
  >,
  writeId: string
): Effect.Effect<unknown, SqlError.SqlError> =>
  sql.unsafe(updateLedgerRow, [
    `${snapshotId.version}`,
    `${tokenVersion}`,
    `${snapshotId.ethereumBlockNum}`,
    snapshotId.batchNum === null ? null : `${snapshotId.batchNum}`,
    writeId,
    changedParts(parts),
    ...headParameters(head),
    ...nextItemIds.columns.map(({ get }) => String(get(next)))
  ])

const headParameters = (head: HeadFeed | null): ReadonlyArray<string | null> =>
  head === null
    ? [null, null, null, null]
    : [`${head.number}`, `\\x${head.hash.slice(2)}`, `${head.timestampMs}`, `${head.chainHead}`]

/** Stores rollbacks, in their order. */
export const insertRollBacks = Effect.fnUntraced(
  function*(
    sql: SqlClient.SqlClient,
    rollBacks: ReadonlyArray<Omit<LedgerRollBack, "serial">>
  ) {
    if (rollBacks.length === 0) return
    const [last] = yield* sql.unsafe<{ readonly serial: bigint | null }>(lastSerialStatement)
    const first = Number(last!.serial ?? 0n) + 1
    const rows = rollBacks.map((rollBack, i) => ({ serial: first + i, ...rollBack }))
    yield* sql.unsafe(insertRollBackRows.text, insertRollBackRows.parameters(rows))
  }
)

/** Returns the first slot whose default bids the sets change; null if none. */
const firstSlotOf = (sets: ReadonlyArray<ParameterSet>): number | null => {
  const slots = sets.flatMap(({ firstSlot }) => firstSlot === null ? [] : [firstSlot])
  return slots.length === 0 ? null : Math.min(...slots)
}
