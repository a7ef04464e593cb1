import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { PoolState, PoolTransaction } from "../../../core/domain/mod.ts"
import type { AccountIndex, TransactionId } from "../../../core/encoding/mod.ts"
import {
  type AddGroupResult,
  type AddResult,
  type OwnedTransaction,
  type Pooled,
  type PoolLimits,
  type ReplacedTransaction,
  replacedReason,
  type ReplaceResult
} from "../../../core/ports/mod.ts"
import { bigintArray, bytesArray, numberOrNull } from "../connection/mod.ts"
import {
  computed,
  integer,
  part,
  poolTransaction,
  queryOf,
  selectRows,
  shape
} from "../entities/mod.ts"
import { notifyPoolChange } from "../notifications/mod.ts"
import { bytesOf, insertPooled, ordered } from "./pool_rows.ts"
import { PoolRecord, type PoolWrite, RECORD_PARAMETERS, recordSql } from "./_pool_write.ts"

/** A posted transaction, with its owners and the limits of the pool. */
export interface PostedTransaction extends OwnedTransaction {
  readonly limits: PoolLimits
}

/**
 * Adds transactions in order. Returns for each whether it was added, was stored before, or is
 * refused by a limit.
 */
export const addTransactions = (
  sql: SqlClient.SqlClient,
  write: PoolWrite,
  all: ReadonlyArray<PostedTransaction>
): Effect.Effect<ReadonlyArray<AddResult>, SqlError.SqlError> =>
  Effect.gen(function*() {
    const { known, record } = yield* loadPending(sql, write, all)
    const rows: Array<Pooled> = []
    const answers = all.map((posted): AddResult => {
      const { transaction } = posted
      const stored = known.get(transaction.id)
      if (stored !== undefined) return { kind: "known", transaction: stored }
      const full = fullFor(record, posted)
      if (full !== undefined) return full
      known.set(transaction.id, transaction)
      rows.push(recordPosted(record, posted))
      return { kind: "added" }
    })
    if (rows.length > 0) yield* insert(sql, record, rows)
    return answers
  })

/** Adds the transactions of a group, or none if one of them is stored or a limit is exceeded. */
export const addGroup = (
  sql: SqlClient.SqlClient,
  write: PoolWrite,
  group: ReadonlyArray<OwnedTransaction>,
  limits: PoolLimits
): Effect.Effect<AddGroupResult, SqlError.SqlError> =>
  Effect.gen(function*() {
    const { known, record } = yield* loadPending(sql, write, group)
    for (const { transaction: { id } } of group) {
      const stored = known.get(id)
      if (stored !== undefined) return { kind: "known", transaction: stored }
    }
    const rows = group.map((posted) => recordPosted(record, posted))
    const senders = group.map(({ transaction }) => transaction.fromAccountIndex)
    if (record.counts.pend > limits.pendingMax) {
      return { kind: "full", limit: "pendingMax", account: senders[0]! }
    }
    const account = senders.find((index) => record.pendingOf(index) > limits.pendingPerAccountMax)
    if (account !== undefined) return { kind: "full", limit: "pendingPerAccountMax", account }
    yield* insert(sql, record, rows)
    return { kind: "added" }
  })

/** Returns the limit that refuses a further pending transaction, if there is one. */
const fullFor = (
  record: PoolRecord,
  { limits: { pendingMax, pendingPerAccountMax }, transaction }: PostedTransaction
): Extract<AddResult, { readonly kind: "full" }> | undefined =>
  record.counts.pend >= pendingMax
    ? { kind: "full", limit: "pendingMax" }
    : record.pendingOf(transaction.fromAccountIndex) >= pendingPerAccountMax
    ? { kind: "full", limit: "pendingPerAccountMax" }
    : undefined

/** Records that a transaction enters the pool, and returns its row. */
const recordPosted = (record: PoolRecord, posted: OwnedTransaction): Pooled => {
  const { receiver, sender, transaction } = posted
  const { batchNum, fromAccountIndex, id, state: to, timestampMs: atMs } = transaction
  record.add(fromAccountIndex, { id, from: null, to, atMs, batchNum, reason: "Posted" })
  return { transaction, sender, receiver, sinceMs: atMs, arrival: record.nextArrival++ }
}

/** Stores new transactions, and notifies all processes. */
const insert = (sql: SqlClient.SqlClient, record: PoolRecord, rows: ReadonlyArray<Pooled>) =>
  Effect.andThen(
    sql.unsafe(addStatement, [
      ...record.parameters,
      ...insertRows.parameters(rows.map(ordered))
    ]),
    sql.unsafe(notifyPoolChange)
  )

const insertRows = insertPooled(RECORD_PARAMETERS + 1)
const addStatement = recordSql(insertRows.text)

/** Replaces a pending or invalid transaction by another one of the same sender, or of the same id. */
export const replaceTransaction = (
  sql: SqlClient.SqlClient,
  write: PoolWrite,
  { arrival, id: replaced }: ReplacedTransaction,
  posted: PostedTransaction
): Effect.Effect<ReplaceResult, SqlError.SqlError> =>
  Effect.gen(function*() {
    const { fromAccountIndex, id, timestampMs: atMs } = posted.transaction
    const { known, record } = yield* loadPending(sql, write, [posted])
    const stored = known.get(id)
    if (stored !== undefined && id !== replaced) return { kind: "known", transaction: stored }
    const [row] = yield* sql.unsafe<
      {
        readonly state: PoolState
        readonly batch_num: bigint | null
        readonly is_grouped: boolean
        readonly arrival: bigint
        readonly signature: string
      }
    >(
      "SELECT state, batch_num, group_id IS NOT NULL AS is_grouped, arrival, signature FROM pool_transaction WHERE id = $1",
      [bytesOf(replaced)]
    )
    if (
      row?.is_grouped === true || (row?.state !== "pend" && row?.state !== "invl") ||
      (arrival !== null && Number(row.arrival) !== arrival)
    ) return { kind: "changed" }
    const full = row.state === "invl" ? fullFor(record, posted) : undefined
    if (full !== undefined) return full
    const [from, batchNum] = [row.state, numberOrNull(row.batch_num)]
    const reason = replacedReason({ id: replaced, signature: row.signature }, id)
    record.add(fromAccountIndex, { id: replaced, from, to: null, atMs, batchNum, reason })
    const added = recordPosted(record, posted)
    yield* sql.unsafe("DELETE FROM pool_transaction WHERE id = $1", [bytesOf(replaced)])
    yield* insert(sql, record, [added])
    return { kind: "replaced", from, batchNum, reason }
  })

interface PendingRow {
  readonly account: AccountIndex
  readonly pending: number
  readonly stored: PoolTransaction | null
}
/**
 * Returns for each posted transaction the pending count of its account, and the stored transaction
 * of that id if there is one.
 */
const pendingRows = queryOf(
  shape<PendingRow>({
    account: computed("wanted.account", integer),
    pending: computed("coalesce(pool_sender.pending, 0)", integer),
    stored: part("id", poolTransaction)
  }),
  `unnest($1::bytea[], $2::bigint[]) AS wanted (id, account)
LEFT JOIN pool_sender ON pool_sender.account_index = wanted.account
LEFT JOIN pool_transaction AS r ON r.id = wanted.id`
)

const loadPending = (
  sql: SqlClient.SqlClient,
  write: PoolWrite,
  all: ReadonlyArray<OwnedTransaction>
) => {
  const parameters = [
    bytesArray(all.map(({ transaction }) => transaction.id)),
    bigintArray(all.map(({ transaction }) => transaction.fromAccountIndex))
  ]
  return Effect.map(selectRows(sql, pendingRows, parameters), (rows) => {
    const known = new Map<TransactionId, PoolTransaction>()
    const pending = new Map<AccountIndex, number>()
    for (const { account, pending: count, stored } of rows) {
      pending.set(account, count)
      if (stored !== null) known.set(stored.id, stored)
    }
    return { known, record: new PoolRecord(write, pending) }
  })
}
