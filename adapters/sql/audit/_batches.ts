import { Effect, Fiber } from "effect"
import { type Account, type Exit, feeSumUnits } from "../../../core/domain/mod.ts"
import { FIRST_USER_ACCOUNT } from "../../../core/encoding/mod.ts"
import { noTotals } from "../../../core/ports/mod.ts"
import {
  auditBatch,
  type BatchAuditRules,
  type BatchEvidence
} from "../../../core/use_cases/mod.ts"
import { account, type ItemRange, queryOf } from "../entities/mod.ts"
import type { AuditSnapshot, AuditStep } from "./_audit_snapshot.ts"
import { loadBatches, loadRows, type StoredBatch, type StoredRows } from "./_stored_batches.ts"

/** Bounds of the batches and of their transactions that are read at once; at least one batch is. */
const batchesAtOnce = 64
const transactionsAtOnce = 8192

/** The state before the first batch. */
const noBatch = {
  transactions: { from: 0, to: 1 },
  exits: { from: 0, to: 1 },
  totals: noTotals,
  lastForgedQueue: null,
  batch: { batchNum: 0, itemId: 0 }
} as const
/** The previous batch, as far as the checks need it. */
type PreviousBatch =
  & Pick<
    StoredBatch,
    "transactions" | "exits" | "totals" | "lastForgedQueue"
  >
  & {
    readonly batch: Pick<StoredBatch["batch"], "batchNum" | "itemId">
  }

export interface BatchesOptions extends BatchAuditRules {
  /** The greatest account index of the snapshot. */
  readonly lastAccount: number
  /** Checks proofs while the next batches are read, and adds the violations to the findings. */
  readonly checkProofs: (
    exits: ReadonlyArray<readonly [exit: Exit, exitRoot: bigint]>
  ) => Effect.Effect<void>
}

/**
 * Checks all batches from the last one back to the first. After each batch it restores the balances
 * that the batch recorded as overwritten, so the previous batch is checked against its own result,
 * and a violation names the batch that caused it.
 */
export const auditBatches = (
  snapshot: AuditSnapshot,
  { checkProofs, lastAccount, ...rules }: BatchesOptions
): AuditStep =>
  Effect.gen(function*() {
    const { advance, book, findings } = snapshot
    let end = { transaction: Number.MAX_SAFE_INTEGER, exit: Number.MAX_SAFE_INTEGER }
    let [below, lastBatch] = [2 ** 32, 0]
    let checking: Fiber.Fiber<void> = yield* Effect.forkChild(Effect.void)
    for (;;) {
      const loaded = yield* loadBatches(snapshot, below, batchesAtOnce + 1)
      if (loaded.length === 0) break
      if (lastBatch === 0) {
        lastBatch = loaded[0]!.batch.batchNum
        findings.same(
          "totals",
          `batch ${lastBatch}, total_accounts`,
          lastAccountOf(loaded[0]!),
          lastAccount
        )
      }
      const batches = takeBatches(loaded)
      const created = yield* loadCreatedAccounts(
        snapshot,
        loaded[batches.length] ?? noBatch,
        batches[0]!
      )
      const rows = yield* loadRows(snapshot, batches, end, created)
      end = {
        transaction: Math.min(...batches.map(({ transactions }) => transactions.from)),
        exit: Math.min(...batches.map(({ exits }) => exits.from))
      }
      const rowsByBatch = assignRows(batches, rows, findings)
      for (const [i, stored] of batches.entries()) {
        const { exits, transactions } = rowsByBatch[i]!
        const previous = loaded[i + 1] ?? noBatch
        const lastBefore = lastAccountOf(previous)
        const newAccounts = created.filter(({ index }) =>
          index > lastBefore && index <= lastAccountOf(stored)
        )
        auditBatchRow(stored, previous, newAccounts, rows, {
          transactions: transactions.length,
          l2: transactions.filter(({ l2 }) => l2 !== null).length,
          l1WaitsMs: transactions.filter(({ l1 }) => l1?.userOrigin === true).map((
            { timestampMs }
          ) => BigInt(stored.batch.timestampMs - timestampMs)),
          exits: exits.length
        }, snapshot)
        const evidence: BatchEvidence = {
          batch: stored.batch,
          transactions,
          exits,
          created: newAccounts,
          updated: stored.updated,
          lastAccountBefore: lastBefore,
          queued: (id) => rows.queued.get(id),
          before: (index) => {
            const account = index <= lastBefore ? rows.accounts.get(index) : undefined
            return account && { ...account, ...stored.overwritten.get(index) ?? book.get(index) }
          },
          after: (index) => book.get(index),
          token: (id) => snapshot.tokens.get(id)
        }
        auditBatch(rules, evidence, findings)
        auditAccountChanges(stored, lastBefore, snapshot)
        for (const [index, holding] of stored.overwritten) book.set(index, holding)
        yield* advance(transactions.length, 1 - (stored.batch.batchNum - 1) / lastBatch)
      }
      yield* Fiber.join(checking)
      checking = yield* Effect.forkChild(checkProofs(batches.flatMap(({ batch }, i) =>
        rowsByBatch[i]!.exits.map((exit) =>
          [exit, batch.exitRoot] as const
        )
      )))
      below = batches.at(-1)!.batch.batchNum
    }
    yield* Fiber.join(checking)
    yield* reportRowsBefore(snapshot, end)
  })

/**
 * Returns the first of the loaded batches within the bounds, at least one. The batch after them, if
 * it exists, is loaded too, as the checks of the last one need it.
 */
const takeBatches = (loaded: ReadonlyArray<StoredBatch>): ReadonlyArray<StoredBatch> => {
  const all = loaded.length > batchesAtOnce ? loaded.slice(0, batchesAtOnce) : loaded
  let sum = 0
  const end = all.findIndex(({ transactions: { from, to } }) =>
    (sum += to - from) > transactionsAtOnce
  )
  return end < 0 ? all : all.slice(0, Math.max(1, end))
}

/** Returns the greatest account index after a batch. */
const lastAccountOf = ({ totals }: Pick<StoredBatch, "totals">): number =>
  FIRST_USER_ACCOUNT - 1 + totals.accounts

const createdAccounts = queryOf(
  account,
  `account AS r WHERE r.account_index > $1::bigint AND r.account_index <= $2::bigint ORDER BY r.account_index LIMIT 200000`
)

/** Loads the accounts that the batches after `previous` up to `last` created, ascending. */
const loadCreatedAccounts = (
  { select }: AuditSnapshot,
  previous: PreviousBatch,
  last: StoredBatch
): AuditStep<ReadonlyArray<Account>> =>
  previous.totals.accounts >= last.totals.accounts
    ? Effect.succeed([])
    : select(createdAccounts, `${lastAccountOf(previous)}`, `${lastAccountOf(last)}`)

interface BatchRows {
  readonly transactions: Array<StoredRows["transactions"][number]>
  readonly exits: Array<Exit>
}

/**
 * Returns the rows of each batch, by the ranges of item ids of the batches; reports rows outside of
 * all ranges.
 */
function assignRows(
  batches: ReadonlyArray<StoredBatch>,
  rows: StoredRows,
  findings: AuditSnapshot["findings"]
): ReadonlyArray<BatchRows> {
  const rowsByBatch = batches.map((): BatchRows => ({ transactions: [], exits: [] }))
  const assign = <Row extends { readonly itemId: number; readonly batchNum: number | null }>(
    table: "transaction" | "exit",
    all: ReadonlyArray<Row>,
    rangeOf: (batch: StoredBatch) => ItemRange,
    rowsOf: (rows: BatchRows) => Array<Row>
  ) => {
    let i = batches.length - 1
    for (const row of all) {
      while (i > 0 && row.itemId >= rangeOf(batches[i]!).to) i--
      const { from, to } = rangeOf(batches[i]!)
      if (row.itemId >= from && row.itemId < to) rowsOf(rowsByBatch[i]!).push(row)
      else {findings.violate(
          "stretches",
          `${table}, item ${row.itemId}`,
          `outside of all batches, with batch_num ${row.batchNum}`,
          "within the range of its batch"
        )}
    }
  }
  assign(
    "transaction",
    rows.transactions,
    ({ transactions }) => transactions,
    ({ transactions }) => transactions
  )
  assign("exit", rows.exits, ({ exits }) => exits, ({ exits }) => exits)
  return rowsByBatch
}

/** Checks the columns of a batch against its rows, its block and the previous batch. */
function auditBatchRow(
  stored: StoredBatch,
  previous: PreviousBatch,
  created: ReadonlyArray<Account>,
  { firstOfKey }: StoredRows,
  found: {
    readonly transactions: number
    readonly l2: number
    readonly l1WaitsMs: ReadonlyArray<bigint>
    readonly exits: number
  },
  { findings }: AuditSnapshot
): void {
  const { batch, block } = stored
  const place = `batch ${batch.batchNum}`
  findings.same("batches", place, `batch ${batch.batchNum}`, `batch ${previous.batch.batchNum + 1}`)
  if (batch.itemId <= previous.batch.itemId) {
    findings.violate(
      "batches",
      `${place}, item_id`,
      batch.itemId,
      `more than ${previous.batch.itemId}`
    )
  }
  findings.sameMembers("batches", () => place, {
    ethereumBlockHash: batch.ethereumBlockHash,
    timestampMs: batch.timestampMs
  }, { ethereumBlockHash: block?.hash ?? null, timestampMs: block?.timestampMs ?? null })
  findings.checked("stretches", 2)
  const checkRange = (
    name: string,
    { from, to }: ItemRange,
    before: number,
    rows: number
  ) => {
    if (from < before) {
      findings.violate(
        "stretches",
        `${place}, ${name}_from`,
        from,
        `${before} or more, the end of the previous batch`
      )
    }
    findings.same("stretches", `${place}, ${name}`, `${rows} rows`, `${to - from} rows`)
  }
  checkRange("transactions", stored.transactions, previous.transactions.to, found.transactions)
  checkRange("exits", stored.exits, previous.exits.to, found.exits)
  findings.checked("totals")
  const newKeys = new Set(
    created.filter(({ itemId, publicKey }) => firstOfKey.get(publicKey) === itemId).map((
      { publicKey }
    ) => publicKey)
  )
  const queue = batch.forgeL1TransactionsNum
  if (queue !== null) {
    findings.same(
      "batches",
      `${place}, forge_l1_transactions_num`,
      queue,
      (previous.lastForgedQueue ?? -1) + 1
    )
  }
  findings.sameMembers("totals", () => place, {
    total_transactions: stored.totals.transactions,
    total_l2_transactions: stored.totals.l2Transactions,
    total_fee_units: stored.totals.feeUnits,
    total_accounts: stored.totals.accounts,
    total_public_keys: stored.totals.publicKeys,
    total_l1_user_transactions: stored.totals.l1UserTransactions,
    total_l1_wait_ms: stored.totals.l1WaitMs,
    last_forged_queue: stored.lastForgedQueue
  }, {
    total_transactions: previous.totals.transactions + found.transactions,
    total_l2_transactions: previous.totals.l2Transactions + found.l2,
    total_fee_units: previous.totals.feeUnits + feeSumUnits(batch.historicTotalCollectedFeesUSD),
    total_accounts: previous.totals.accounts + batch.numAccounts,
    total_public_keys: previous.totals.publicKeys + newKeys.size,
    total_l1_user_transactions: previous.totals.l1UserTransactions + found.l1WaitsMs.length,
    total_l1_wait_ms: found.l1WaitsMs.reduce((sum, each) => sum + each, previous.totals.l1WaitMs),
    last_forged_queue: queue ?? previous.lastForgedQueue
  })
}

/**
 * Checks the values after a batch: they are the current ones, or those that the next change of the
 * account overwrote. The accounts without values before it are those that it created.
 */
function auditAccountChanges(
  { balances, batch, changedAccounts, nonces, totals, updated }: StoredBatch,
  lastBefore: number,
  { book, findings }: AuditSnapshot
): void {
  const place = `batch ${batch.batchNum}`
  const created = changedAccounts.slice(updated.length)
  findings.same(
    "changes",
    `${place}, created accounts`,
    created.filter((index, i) => index === lastBefore + 1 + i).length,
    lastAccountOf({ totals }) - lastBefore
  )
  for (const [i, index] of changedAccounts.entries()) {
    const after = book.get(index)
    findings.same(
      "changes",
      `${place}, account ${index}`,
      `nonce ${nonces[i]}, balance ${balances[i]}`,
      `nonce ${after?.nonce}, balance ${after?.balance}`
    )
  }
  findings.checked("changes", changedAccounts.length)
}

/** Reports rows with item ids lower than those of the first batch. */
const reportRowsBefore = (
  { findings, rows }: AuditSnapshot,
  first: { readonly transaction: number; readonly exit: number }
): AuditStep =>
  Effect.gen(function*() {
    for (const table of ["transaction", "exit"] as const) {
      const strays = yield* rows<{ readonly item_id: bigint; readonly batch_num: bigint }>(
        `SELECT item_id, batch_num FROM ${table} WHERE item_id < $1::bigint ORDER BY item_id LIMIT 20`,
        `${first[table]}`
      )
      for (const { batch_num, item_id } of strays) {
        findings.violate(
          "stretches",
          `${table}, item ${item_id}`,
          `outside of all batches, with batch_num ${batch_num}`,
          "within the range of its batch"
        )
      }
    }
  })
