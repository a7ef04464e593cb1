import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { PoolState, SkippedTransaction } from "../../../core/domain/mod.ts"
import type { AccountIndex, GroupId, TransactionId } from "../../../core/encoding/mod.ts"
import type { PoolChange, ReconciledBatch } from "../../../core/ports/mod.ts"
import { storedText } from "../connection/mod.ts"
import { prefixedHexOf } from "../entities/mod.ts"
import { notifyPoolChange } from "../notifications/mod.ts"
import { bigintList, byteaList, int8, numberOrNull, smallintList, textList } from "./pool_rows.ts"
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
      const remaining = [...changed].filter((id) => states.get(id)?.state !== null)
      yield* sql.unsafe(changeStatement, [
        ...record.parameters,
        byteaList(remaining),
        textList(remaining.map((id) => states.get(id)!.state)),
        bigintList(remaining.map((id) => states.get(id)!.batchNum)),
        int8(atMs),
        byteaList([...changed].filter((id) => states.get(id)?.state === null))
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
  { changes, from, to }: {
    readonly from: ReconciledBatch | null
    readonly to: ReconciledBatch | null
    readonly changes: ReadonlyArray<PoolChange>
  },
  atMs: number
): Effect.Effect<ReadonlyArray<TransactionId> | null, SqlError.SqlError> =>
  Effect.gen(function*() {
    const [last] = yield* sql.unsafe<ReconciledBatchRow>(
      "SELECT batch_num, ethereum_block_hash FROM pool_mark ORDER BY batch_num DESC LIMIT 1"
    )
    if (!isSameBatch(last === undefined ? null : reconciledBatchOf(last), from)) return null
    const added = to === null ? [] : [to]
    yield* sql.unsafe(reconcileStatement, [
      int8(to?.batchNum ?? -1),
      bigintList(added.map(({ batchNum }) => batchNum)),
      textList(added.map((each) => each.ethereumBlockHash))
    ])
    const lastBatchNum = to?.batchNum ?? 0
    if (lastBatchNum < (from?.batchNum ?? 0)) yield* forgetSkipsAfter(sql, lastBatchNum + 1)
    const ids = yield* applyChanges(sql, write, changes, atMs)
    if (ids.length === 0) yield* sql.unsafe(recordStatement, new PoolRecord(write).parameters)
    return ids
  })

/** Removes the reasons of selections for batches after one, and notifies all processes. */
const forgetSkipsAfter = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, batchNum: number): Effect.fn.Return<void, SqlError.SqlError> {
    yield* sql.unsafe(`UPDATE pool_transaction SET ${noSkip} WHERE passed_batch_num > $1`, [
      int8(batchNum)
    ])
    yield* sql.unsafe(notifyPoolChange)
  }
)

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
    byteaList(all.map(({ id }) => id)),
    smallintList(all.map(({ code }) => code)),
    textList(all.map(({ reason }) => storedText(reason))),
    bigintList(all.map(({ batchNum }) => batchNum)),
    bigintList(all.map(({ atMs }) => atMs)),
    byteaList(selected.filter((id) => !all.some((each) => each.id === id)))
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

interface StoredState {
  readonly arrival: number
  readonly account: AccountIndex
  readonly group: GroupId | null
  /** Null after the transaction has left the pool. */
  readonly state: PoolState | null
  readonly batchNum: number | null
}

interface StateRow {
  readonly id: Uint8Array
  readonly arrival: bigint
  readonly state: PoolState
  readonly batch_num: bigint | null
  readonly from_account_index: bigint
  readonly pending: bigint
  readonly group_id: Uint8Array | null
}

const loadStates = (
  sql: SqlClient.SqlClient,
  write: PoolWrite,
  changes: ReadonlyArray<PoolChange>
) =>
  Effect.map(
    sql.unsafe<StateRow>(statesStatement, [byteaList([...new Set(changes.map(({ id }) => id))])]),
    (rows) => ({
      changed: new Set<TransactionId>(),
      record: new PoolRecord(
        write,
        new Map(rows.map((row) => [Number(row.from_account_index), Number(row.pending)]))
      ),
      states: new Map(
        rows.map((
          row
        ): [TransactionId, StoredState] => [prefixedHexOf(row.id), {
          arrival: Number(row.arrival),
          account: Number(row.from_account_index),
          group: row.group_id === null ? null : prefixedHexOf(row.group_id),
          state: row.state,
          batchNum: numberOrNull(row.batch_num)
        }])
      )
    })
  )

const statesStatement = `
SELECT t.id, t.arrival, t.state, t.batch_num, t.from_account_index, t.group_id, coalesce(pool_sender.pending, 0) AS pending
FROM unnest($1::bytea[]) AS wanted (id) JOIN pool_transaction AS t ON t.id = wanted.id
LEFT JOIN pool_sender ON pool_sender.account_index = t.from_account_index`

const noSkip =
  "passed_code = NULL, passed_reason = NULL, passed_batch_num = NULL, passed_at_ms = NULL"

/** Returns the n-th parameter after those of the record. */
const parameter = (n: number) => `$${RECORD_PARAMETERS + n}`

const changeStatement = recordSql(
  `UPDATE pool_transaction AS t
  SET state = moved.state, batch_num = moved.batch_num, since_ms = ${parameter(4)}::bigint,
    ${noSkip}
  FROM unnest(${parameter(1)}::bytea[], ${parameter(2)}::text[], ${
    parameter(3)
  }::bigint[]) AS moved (id, state, batch_num) WHERE t.id = moved.id`,
  `DELETE FROM pool_transaction WHERE id = ANY (${parameter(5)}::bytea[])`
)

const skipStatement = recordSql(
  `UPDATE pool_transaction AS t
  SET passed_code = passed.code, passed_reason = passed.reason, passed_batch_num = passed.batch_num, passed_at_ms = passed.at_ms
  FROM unnest(${parameter(1)}::bytea[], ${parameter(2)}::smallint[], ${parameter(3)}::text[], ${
    parameter(4)
  }::bigint[], ${parameter(5)}::bigint[])
    AS passed (id, code, reason, batch_num, at_ms)
  WHERE t.id = passed.id AND t.state = 'pend'`,
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
INSERT INTO pool_mark (batch_num, ethereum_block_hash) SELECT * FROM unnest($2::bigint[], $3::text[])
ON CONFLICT (batch_num) DO UPDATE SET ethereum_block_hash = excluded.ethereum_block_hash`

const isSameBatch = (a: ReconciledBatch | null, b: ReconciledBatch | null): boolean =>
  a === b ||
  (a !== null && b !== null && a.batchNum === b.batchNum &&
    a.ethereumBlockHash === b.ethereumBlockHash)
