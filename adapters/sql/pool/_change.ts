import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type PoolState, poolStates, type SkippedTransaction } from "../../../core/domain/mod.ts"
import type { AccountIndex, GroupId, TransactionId } from "../../../core/encoding/mod.ts"
import type { PoolChange, PoolStore, ReconciledBatch } from "../../../core/ports/mod.ts"
import { bytesArray, parametersOf, rowsOf, updateOf } from "../connection/mod.ts"
import {
  computed,
  hash,
  integer,
  nullable,
  oneOf,
  pick,
  poolTransaction,
  queryOf,
  selectRows,
  shape,
  skippedTransaction,
  transactionId
} from "../entities/mod.ts"
import { notifyPoolChange } from "../notifications/mod.ts"
import { int8 } from "./pool_rows.ts"
import { PoolRecord, type PoolWrite, RECORD_PARAMETERS, recordSql } from "./_pool_write.ts"

/**
 * Applies, in order, the changes whose `from`, `fromBatchNum` and `arrival` are those of the
 * transaction, and
 * those of a group only if this holds for all of them. Returns the ids of these changes. A second
 * change of a transaction sees the first.
 */
export const applyChanges = (
  sql: SqlClient.SqlClient,
  write: PoolWrite,
  changes: ReadonlyArray<PoolChange>,
  atMs: number
): Effect.Effect<ReadonlyArray<TransactionId>, SqlError.SqlError> =>
  Effect.gen(function*() {
    const { changed, record, states } = yield* loadStates(sql, write, changes)
    const isFrom = ({ arrival, from, fromBatchNum, id }: PoolChange) => {
      const state = states.get(id)
      return state?.state === from && state.batchNum === fromBatchNum &&
        (arrival === undefined || state.arrival === arrival)
    }
    const unchanged = new Set(
      changes.filter((change) => !isFrom(change)).map(({ id }) => states.get(id)?.group ?? null)
    )
    const ids = changes.filter((change) => {
      const { batchNum, from, id, reason, to } = change
      const state = states.get(id)
      if (state === undefined || !isFrom(change)) return false
      if (state.group !== null && unchanged.has(state.group)) return false
      record.add(state.account, { id, from, to, atMs, batchNum, reason })
      states.set(id, { ...state, state: to, batchNum })
      changed.add(id)
      return true
    }).map(({ id }) => id)
    if (record.hasTransitions) {
      const after = [...changed].map((id) => states.get(id)!)
      yield* sql.unsafe(changeStatement, [
        ...record.parameters,
        ...parametersOf(
          movedRow.parameters,
          after.flatMap(({ state, ...row }) => state === null ? [] : [{ ...row, state }])
        ),
        int8(atMs),
        bytesArray(after.filter(({ state }) => state === null).map(({ id }) => id))
      ])
      yield* sql.unsafe(notifyPoolChange)
    }
    return ids
  })

/**
 * Moves the last reconciled batch from `from` to `to` and applies the changes; returns null without
 * effect if the last reconciled batch is not `from`.
 */
export const reconcileBatch = (
  sql: SqlClient.SqlClient,
  write: PoolWrite,
  { changes, from, to }: Parameters<PoolStore["Service"]["reconcile"]>[0],
  atMs: number
): Effect.Effect<ReadonlyArray<TransactionId> | null, SqlError.SqlError> =>
  Effect.gen(function*() {
    const [last] = yield* sql.unsafe<ReconciledBatchRow>(
      "SELECT batch_num, ethereum_block_hash FROM pool_mark ORDER BY batch_num DESC LIMIT 1"
    )
    if (!isSameBatch(last === undefined ? null : reconciledBatchOf(last), from)) return null
    yield* sql.unsafe(reconcileStatement, [
      int8(to?.batchNum ?? -1),
      to?.ethereumBlockHash ?? null
    ])
    const lastBatchNum = to?.batchNum ?? 0
    if (lastBatchNum < (from?.batchNum ?? 0)) yield* forgetSkipsAfter(sql, lastBatchNum + 1)
    const ids = yield* applyChanges(sql, write, changes, atMs)
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

/** A row of `pool_mark`. */
export interface ReconciledBatchRow {
  readonly batch_num: bigint
  readonly ethereum_block_hash: string
}

export const reconciledBatchOf = (row: ReconciledBatchRow): ReconciledBatch => ({
  batchNum: Number(row.batch_num),
  ethereumBlockHash: row.ethereum_block_hash
})

/** A transaction that changes. */
interface StateRow {
  readonly id: TransactionId
  readonly arrival: number
  readonly account: AccountIndex
  readonly group: GroupId | null
  readonly state: PoolState
  readonly batchNum: number | null
  /** Pending transactions of the account. */
  readonly pending: number
}
const stateRows = queryOf(
  shape<StateRow>({
    id: ["id", transactionId],
    arrival: ["arrival", integer],
    account: ["from_account_index", integer],
    group: ["group_id", nullable(hash)],
    state: ["state", oneOf(poolStates)],
    batchNum: ["batch_num", nullable(integer)],
    pending: computed("coalesce(pool_sender.pending, 0)", integer)
  }),
  `unnest($1::bytea[]) AS wanted (id) JOIN pool_transaction AS r ON r.id = wanted.id
LEFT JOIN pool_sender ON pool_sender.account_index = r.from_account_index`
)

/** Its state is null after it has left the pool. */
interface CurrentState extends Omit<StateRow, "state"> {
  readonly state: PoolState | null
}

const loadStates = (
  sql: SqlClient.SqlClient,
  write: PoolWrite,
  changes: ReadonlyArray<PoolChange>
) =>
  Effect.map(
    selectRows(sql, stateRows, [bytesArray([...new Set(changes.map(({ id }) => id))])]),
    (rows) => ({
      changed: new Set<TransactionId>(),
      record: new PoolRecord(
        write,
        new Map(rows.map(({ account, pending }) => [account, pending]))
      ),
      states: new Map<TransactionId, CurrentState>(rows.map((row) => [row.id, row]))
    })
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

const isSameBatch = (a: ReconciledBatch | null, b: ReconciledBatch | null): boolean =>
  a === b ||
  (a !== null && b !== null && a.batchNum === b.batchNum &&
    a.ethereumBlockHash === b.ethereumBlockHash)
