import { Effect, Equal } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { SkippedTransaction } from "../../../core/domain/mod.ts"
import type { TransactionId } from "../../../core/encoding/mod.ts"
import type { PoolChange, ReconcileStep } from "../../../core/ports/mod.ts"
import { applyChanges } from "../../../core/use_cases/mod.ts"
import { bytesArray, parametersOf, rowsOf, updateOf } from "../connection/mod.ts"
import {
  computed,
  inferredShape,
  integer,
  pick,
  poolTransaction,
  queryOf,
  reconciledBatch,
  selectRows,
  skippedTransaction
} from "../entities/mod.ts"
import { notifyPoolChange } from "../notifications/mod.ts"
import { int8 } from "./pool_rows.ts"
import { PoolRecord, type PoolWrite, RECORD_PARAMETERS, recordSql } from "./_pool_write.ts"

/** Applies changes as `applyChanges` decides. Returns the ids of the applied ones. */
export const changeStates = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  write: PoolWrite,
  changes: ReadonlyArray<PoolChange>,
  atMs: number
) {
  const ids = [...new Set(changes.map(({ id }) => id))]
  const rows = yield* selectRows(sql, stateRows, [bytesArray(ids)])
  const record = new PoolRecord(
    write,
    new Map(rows.map(({ pending, transaction }) => [transaction.fromAccountIndex, pending]))
  )
  const stored = new Map(rows.map((row) => [row.transaction.id, row]))
  const changed = applyChanges(changes, atMs, (id) => stored.get(id), (row, transition) => {
    const { batchNum, id, to: state } = transition
    record.add(row.transaction.fromAccountIndex, transition)
    if (state === null) stored.delete(id)
    else stored.set(id, { ...row, transaction: { ...row.transaction, state, batchNum } })
  })
  if (changed.length > 0) {
    const moved = [...new Set(changed)].flatMap((id) => stored.get(id)?.transaction ?? [])
    yield* sql.unsafe(changeStatement, [
      ...record.parameters,
      ...parametersOf(movedRow.parameters, moved),
      int8(atMs),
      bytesArray(changed.filter((id) => !stored.has(id)))
    ])
    yield* sql.unsafe(notifyPoolChange)
  }
  return changed
})

/**
 * Moves the last reconciled batch from `from` to `to` and applies the changes; returns null without
 * effect if the last reconciled batch is not `from`.
 */
export const reconcileBatch = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  write: PoolWrite,
  { changes, from, to }: ReconcileStep,
  atMs: number
) {
  const [last = null] = yield* selectRows(sql, lastReconciled)
  if (!Equal.equals(last, from)) return null
  yield* sql.unsafe(reconcileStatement, [
    int8(to?.batchNum ?? -1),
    to?.ethereumBlockHash ?? null
  ])
  const lastBatchNum = to?.batchNum ?? 0
  if (lastBatchNum < (from?.batchNum ?? 0)) yield* forgetSkipsAfter(sql, lastBatchNum + 1)
  const ids = yield* changeStates(sql, write, changes, atMs)
  if (ids.length === 0) yield* sql.unsafe(recordStatement, new PoolRecord(write).parameters)
  return ids
})

/** Removes the reasons of selections for batches after one, and notifies all processes. */
const forgetSkipsAfter = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, batchNum: number) {
  yield* sql.unsafe(`UPDATE pool_transaction SET ${noSkip} WHERE passed_batch_num > $1`, [
    int8(batchNum)
  ])
  yield* sql.unsafe(notifyPoolChange)
})

/**
 * Removes the reasons of the selected transactions, and stores why the forger skipped others, for
 * those that are pending. If a transaction occurs several times, the last reason counts.
 */
export const recordSkips = (
  sql: SqlClient.SqlClient,
  write: PoolWrite,
  skips: ReadonlyArray<SkippedTransaction>,
  selected: ReadonlyArray<TransactionId>
): Effect.Effect<void, SqlError.SqlError> => {
  const all = [...new Map(skips.map((each) => [each.id, each])).values()]
  const store = sql.unsafe(skipStatement, [
    ...new PoolRecord(write).parameters,
    ...setSkips.parameters(all),
    bytesArray(selected.filter((id) => !all.some((each) => each.id === id)))
  ])
  return all.length + selected.length === 0
    ? Effect.asVoid(store)
    : Effect.asVoid(Effect.andThen(store, sql.unsafe(notifyPoolChange)))
}

const lastReconciled = queryOf(
  reconciledBatch,
  "pool_mark AS r ORDER BY r.batch_num DESC LIMIT 1"
)

/** Transactions that may change, and the number of pending ones of their accounts. */
const stateRows = queryOf(
  inferredShape({
    arrival: ["arrival", integer],
    transaction: pick(poolTransaction, "id", "fromAccountIndex", "group", "state", "batchNum"),
    pending: computed("coalesce(pool_sender.pending, 0)", integer)
  }),
  `unnest($1::bytea[]) AS wanted (id) JOIN pool_transaction AS r ON r.id = wanted.id
LEFT JOIN pool_sender ON pool_sender.account_index = r.from_account_index`
)

const noSkip =
  "passed_code = NULL, passed_reason = NULL, passed_batch_num = NULL, passed_at_ms = NULL"

/** Returns the n-th parameter after those of the record. */
const parameter = (n: number) => `$${RECORD_PARAMETERS + n}`

const movedRow = pick(poolTransaction, "id", "state", "batchNum")
const changeStatement = recordSql(
  `UPDATE pool_transaction AS t
  SET state = moved.state, batch_num = moved.batch_num, since_ms = ${parameter(4)}::bigint,
    ${noSkip}
  FROM ${rowsOf("moved", movedRow.parameters, RECORD_PARAMETERS + 1)} WHERE t.id = moved.id`,
  `DELETE FROM pool_transaction WHERE id = ANY (${parameter(5)}::bytea[])`
)

const setSkips = updateOf(
  "pool_transaction",
  "id",
  skippedTransaction.parameters,
  RECORD_PARAMETERS + 1
)
const skipStatement = recordSql(
  `${setSkips.text} AND pool_transaction.state = 'pend'`,
  `UPDATE pool_transaction SET ${noSkip} WHERE id = ANY (${
    parameter(6)
  }::bytea[]) AND passed_code IS NOT NULL`
)

const recordStatement = recordSql()

/**
 * A statement cannot insert a row with the key of a row that it deletes, so it overwrites the row
 * of the same number.
 */
const reconcileStatement = `
WITH dropped AS (DELETE FROM pool_mark WHERE batch_num > $1::bigint)
INSERT INTO pool_mark (batch_num, ethereum_block_hash) SELECT $1::bigint, $2::text WHERE $2::text IS NOT NULL
ON CONFLICT (batch_num) DO UPDATE SET ethereum_block_hash = excluded.ethereum_block_hash`
