import { type Context, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { feeUnits, type PoolState, type PoolTransition } from "../../../core/domain/mod.ts"
import type { TransactionId } from "../../../core/encoding/mod.ts"
import type { PoolStore, StoreFailure } from "../../../core/ports/mod.ts"
import { readText, storeFailure } from "../connection/mod.ts"
import { listQuery, type ListRow, pageOf } from "./_list.ts"
import { settledBatchOf } from "./_change.ts"
import {
  bigintList,
  byteaList,
  bytesOf,
  countsOf,
  hexOf,
  int8,
  numberOrNull,
  pooledOf,
  type PoolTransactionRow,
  prefixedOf,
  skippedTransactionOf,
  type SkippedTransactionRow,
  transactionColumns,
  transactionOf
} from "./pool_rows.ts"

type PoolReads = Omit<
  Context.Service.Shape<typeof PoolStore>,
  | "addAuthorization"
  | "addGroup"
  | "addTransaction"
  | "replaceTransaction"
  | "change"
  | "settle"
  | "skip"
>

/** Returns the reads of the pool. Each is one statement, which finds its rows through an index. */
export const poolReads = (sql: SqlClient.SqlClient): PoolReads => {
  const all = <Row extends object, A>(
    statement: string,
    parameters: ReadonlyArray<unknown>,
    read: (row: Row) => A
  ): Effect.Effect<ReadonlyArray<A>, StoreFailure> =>
    Effect.mapBoth(sql.unsafe<Row>(statement, parameters), {
      onSuccess: (rows) => rows.map(read),
      onFailure: storeFailure
    })
  const first = <Row extends object, A>(
    statement: string,
    parameters: ReadonlyArray<unknown>,
    read: (row: Row) => A
  ): Effect.Effect<A | null, StoreFailure> =>
    Effect.map(all(statement, parameters, read), ([answer]) => answer ?? null)
  const pooled = (statement: string, parameters: ReadonlyArray<unknown>) =>
    all<PoolTransactionRow, ReturnType<typeof pooledOf>>(statement, parameters, pooledOf)
  return {
    transaction: (id) =>
      first(`SELECT ${transactionColumns} FROM pool_transaction AS t WHERE t.id = $1`, [
        bytesOf(id)
      ], transactionOf),
    authorization: (address) =>
      first(
        "SELECT address, public_key, signature, timestamp_ms FROM pool_authorization WHERE address = $1",
        [bytesOf(address)],
        authorizationOf
      ),
    transitions: (id) =>
      all(
        "SELECT from_state, to_state, at_ms, batch_num, reason FROM pool_transition WHERE id = $1 ORDER BY number",
        [bytesOf(id)],
        (row: TransitionRow) => transitionOf(id, row)
      ),
    skippedTransaction: (id) =>
      first(
        "SELECT id, passed_code, passed_reason, passed_batch_num, passed_at_ms FROM pool_transaction WHERE id = $1 AND passed_code IS NOT NULL",
        [bytesOf(id)],
        (row: SkippedTransactionRow) => skippedTransactionOf(row)
      ),
    counts: Effect.map(
      all("SELECT pend, fing, fged, invl FROM pool", [], countsOf),
      ([counts]) => counts!
    ),
    pooled: (ids) => pooled(byIdsStatement, [byteaList(ids)]),
    members: (ids) => pooled(membersStatement, [byteaList(ids)]),
    pendingOf: (index) =>
      Effect.map(
        first(
          "SELECT pending FROM pool_sender WHERE account_index = $1",
          [int8(index)],
          (row: { readonly pending: bigint }) => Number(row.pending)
        ),
        (pending) => pending ?? 0
      ),
    pendingTokens: all(
      pendingTokensStatement,
      [],
      (row: { readonly token_id: bigint }) => Number(row.token_id)
    ),
    pendingByFee: ({ after, limit, tokenId }) =>
      after === null
        ? pooled(byFeeStatement(""), [int8(tokenId), int8(limit)])
        : pooled(byFeeStatement("AND (- t.fee_units, t.arrival) > ($3::numeric, $4::bigint)"), [
          int8(tokenId),
          int8(limit),
          String(-feeUnits(after.transaction)),
          int8(after.arrival)
        ]),
    pendingSince: ({ beforeMs, limit }) =>
      pooled(
        `SELECT ${transactionColumns} FROM pool_transaction AS t WHERE t.state = 'pend' AND t.since_ms < $1 ORDER BY t.since_ms, t.arrival LIMIT $2`,
        [int8(beforeMs), int8(limit)]
      ),
    pendingExpired: (belowBatchNum) =>
      pooled(
        `SELECT ${transactionColumns} FROM pool_transaction AS t WHERE t.state = 'pend' AND t.max_num_batch < $1 ORDER BY t.max_num_batch, t.arrival`,
        [int8(belowBatchNum)]
      ),
    pendingBelow: (nonces) =>
      pooled(belowNoncesStatement, [
        bigintList(nonces.map(({ index }) => index)),
        bigintList(nonces.map(({ nonce }) => nonce))
      ]),
    inBatches: ({ from, state, to }) =>
      pooled(
        `SELECT ${transactionColumns} FROM pool_transaction AS t WHERE t.state <> 'pend' AND t.state = $1 AND t.batch_num BETWEEN $2 AND $3 ORDER BY t.batch_num, t.arrival`,
        [state, int8(from), int8(to)]
      ),
    list: (query) => {
      const { parameters, statement } = listQuery(query)
      return Effect.map(all(statement, parameters, (row: ListRow) => row), pageOf)
    },
    settledBatchesBelow: ({ batchNum, limit }) =>
      all(
        "SELECT batch_num, ethereum_block_hash FROM pool_mark WHERE batch_num < $1 ORDER BY batch_num DESC LIMIT $2",
        [int8(batchNum), int8(limit)],
        settledBatchOf
      )
  }
}

/** Returns the number of the next transition. */
export const nextTransition = (
  sql: SqlClient.SqlClient
): Effect.Effect<number, SqlError.SqlError> =>
  Effect.map(
    sql.unsafe<{ readonly next_transition: bigint }>("SELECT next_transition FROM pool"),
    ([row]) => Number(row!.next_transition)
  )

/** Returns the transitions of all transactions from a number on, ascending. */
export const transitionsFrom = (
  sql: SqlClient.SqlClient,
  number: number,
  limit: number
): Effect.Effect<
  ReadonlyArray<PoolTransition & { readonly number: number }>,
  SqlError.SqlError
> =>
  Effect.map(
    sql.unsafe<TransitionRow & { readonly id: Uint8Array; readonly number: bigint }>(
      "SELECT number, id, from_state, to_state, at_ms, batch_num, reason FROM pool_transition WHERE number >= $1 ORDER BY number LIMIT $2",
      [int8(number), int8(limit)]
    ),
    (rows) =>
      rows.map((row) => ({ number: Number(row.number), ...transitionOf(prefixedOf(row.id), row) }))
  )

const transitionOf = (id: TransactionId, row: TransitionRow): PoolTransition => ({
  id,
  from: row.from_state,
  to: row.to_state,
  atMs: Number(row.at_ms),
  batchNum: numberOrNull(row.batch_num),
  reason: readText(row.reason)
})

interface TransitionRow {
  readonly from_state: PoolState | null
  readonly to_state: PoolState | null
  readonly at_ms: bigint
  readonly batch_num: bigint | null
  readonly reason: string
}

/** A row of `pool_authorization`. */
export interface AuthorizationRow {
  readonly address: Uint8Array
  readonly public_key: Uint8Array
  readonly signature: string
  readonly timestamp_ms: bigint
}

export const authorizationOf = (row: AuthorizationRow) => ({
  address: prefixedOf(row.address),
  publicKey: hexOf(row.public_key),
  signature: row.signature,
  timestampMs: Number(row.timestamp_ms)
})

/** Returns a transaction once for each time that its id occurs. */
const byIdsStatement = `
SELECT ${transactionColumns} FROM unnest($1::bytea[]) WITH ORDINALITY AS wanted (id, place)
CROSS JOIN LATERAL (SELECT * FROM pool_transaction WHERE pool_transaction.id = wanted.id LIMIT 1) AS t
ORDER BY wanted.place`

const membersStatement = `
SELECT ${transactionColumns} FROM unnest($1::bytea[]) WITH ORDINALITY AS wanted (group_id, place)
JOIN pool_transaction AS t ON t.group_id = wanted.group_id ORDER BY wanted.place, t.group_position`

const byFeeStatement = (after: string): string =>
  `SELECT ${transactionColumns} FROM pool_transaction AS t WHERE t.state = 'pend' AND t.token_id = $1 ${after} ORDER BY t.token_id, - t.fee_units, t.arrival LIMIT $2`

/**
 * Steps through the index from one token to the next, so the cost depends on the number of tokens
 * only. The last step finds NULL.
 */
const pendingTokensStatement = `
WITH RECURSIVE found (token_id) AS (
  SELECT min(token_id) FROM pool_transaction WHERE state = 'pend'
  UNION ALL
  SELECT (SELECT min(t.token_id) FROM pool_transaction AS t WHERE t.state = 'pend' AND t.token_id > found.token_id) FROM found WHERE found.token_id IS NOT NULL
)
SELECT token_id FROM found WHERE token_id IS NOT NULL`

/**
 * ORDER BY and LIMIT in the sub-query make the planner read one range of the index for each
 * account.
 */
const belowNoncesStatement = `
SELECT ${transactionColumns} FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS wanted (account, nonce, place)
CROSS JOIN LATERAL (
  SELECT * FROM pool_transaction
  WHERE state = 'pend' AND from_account_index = wanted.account AND pool_transaction.nonce < wanted.nonce
  ORDER BY pool_transaction.nonce, arrival LIMIT 9223372036854775807
) AS t
ORDER BY wanted.place, t.nonce, t.arrival`
