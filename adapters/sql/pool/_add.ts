import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountIndex, TransactionId } from "../../../core/encoding/mod.ts"
import type {
  OwnedTransaction,
  Pooled,
  PoolLimits,
  ReplacedTransaction
} from "../../../core/ports/mod.ts"
import { decideAdd, decideReplacement, transitionOf } from "../../../core/use_cases/mod.ts"
import { bigintArray, bytesArray } from "../connection/mod.ts"
import {
  computed,
  inferredShape,
  integer,
  part,
  pick,
  poolTransaction,
  queryOf,
  selectRows
} from "../entities/mod.ts"
import { notifyPoolChange } from "../notifications/mod.ts"
import { bytesOf, insertPooled, ordered, pooledQuery } from "./pool_rows.ts"
import { PoolRecord, type PoolWrite, RECORD_PARAMETERS, recordSql } from "./_pool_write.ts"

/** The transactions of a group, or one that was posted alone, with the limits of the pool. */
export interface PostedGroup {
  readonly group: ReadonlyArray<OwnedTransaction>
  readonly limits: PoolLimits
}

/**
 * Adds groups in order. Returns for each whether it was added, was stored before, or is refused by a
 * limit.
 */
export const addGroups = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  write: PoolWrite,
  all: ReadonlyArray<PostedGroup>
) {
  const record = yield* loadPending(sql, write, all.flatMap(({ group }) => group))
  const rows: Array<Pooled> = []
  const results = all.map(({ group, limits }) => {
    const result = decideAdd(record, group, limits)
    if (result.kind === "added") rows.push(...group.map((posted) => record.addPosted(posted)))
    return result
  })
  if (rows.length > 0) yield* insert(sql, record, rows)
  return results
})

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
export const replaceTransaction = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  write: PoolWrite,
  replaced: ReplacedTransaction,
  posted: OwnedTransaction,
  limits: PoolLimits
) {
  const record = yield* loadPending(sql, write, [posted])
  const [old] = yield* selectRows(sql, pooledById, [bytesOf(replaced.id)])
  const { transaction } = posted
  const result = decideReplacement(record, replaced, old, transaction, limits)
  if (result.kind !== "replaced") return result
  const change = { ...result, id: replaced.id, to: null }
  record.add(transaction.fromAccountIndex, transitionOf(change, transaction.timestampMs))
  const added = record.addPosted(posted)
  yield* sql.unsafe("DELETE FROM pool_transaction WHERE id = $1", [bytesOf(replaced.id)])
  yield* insert(sql, record, [added])
  return result
})

const pooledById = pooledQuery("pool_transaction AS r WHERE r.id = $1")

/**
 * Returns for each posted transaction the pending count of its account, and its id if the pool has it.
 */
const pendingRows = queryOf(
  inferredShape({
    account: computed("wanted.account", integer),
    pending: computed("coalesce(pool_sender.pending, 0)", integer),
    stored: part("id", pick(poolTransaction, "id"))
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
    const known = new Set<TransactionId>()
    const pending = new Map<AccountIndex, number>()
    for (const { account, pending: count, stored } of rows) {
      pending.set(account, count)
      if (stored !== null) known.add(stored.id)
    }
    return new PoolRecord(write, pending, known)
  })
}
