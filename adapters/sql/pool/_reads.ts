import { type Context, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { feeUnits, type PoolState, type PoolTransition } from "../../../core/domain/mod.ts"
import type { TransactionId } from "../../../core/encoding/mod.ts"
import type { Pooled, PoolStore, StoreFailure } from "../../../core/ports/mod.ts"
import { readText, storeFailure } from "../connection/mod.ts"
import {
  hexOf,
  poolTransaction,
  prefixedHexOf,
  queryOf,
  type RowQuery,
  selectRows,
  shape,
  type Skip,
  skip
} from "../entities/mod.ts"
import { listQuery, pageOf } from "./_list.ts"
import { reconciledBatchOf } from "./_change.ts"
import {
  bigintList,
  byteaList,
  bytesOf,
  countsOf,
  int8,
  numberOrNull,
  pooledQuery
} from "./pool_rows.ts"

type PoolReads = Omit<
  Context.Service.Shape<typeof PoolStore>,
  | "addAuthorization"
  | "addGroup"
  | "addTransaction"
  | "replaceTransaction"
  | "change"
  | "reconcile"
  | "skip"
>

type Reads<Name extends keyof PoolReads> = Pick<PoolReads, Name>

/** Returns the reads of the pool. Each is one statement, which finds its rows through an index. */
export const poolReads = (sql: SqlClient.SqlClient): PoolReads => ({
  ...readsByKey(sql),
  ...numbersOfPool(sql),
  ...listsOfPool(sql)
})

const readAll = <Row extends object, A>(
  sql: SqlClient.SqlClient,
  statement: string,
  parameters: ReadonlyArray<unknown>,
  read: (row: Row) => A
): Effect.Effect<ReadonlyArray<A>, StoreFailure> =>
  Effect.mapBoth(sql.unsafe<Row>(statement, parameters), {
    onSuccess: (rows) => rows.map(read),
    onFailure: storeFailure
  })

const select = <Row>(
  sql: SqlClient.SqlClient,
  query: RowQuery<Row>,
  parameters: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<Row>, StoreFailure> =>
  Effect.mapError(selectRows(sql, query, parameters), storeFailure)

const readsByKey = (
  sql: SqlClient.SqlClient
): Reads<
  | "authorization"
  | "members"
  | "pooled"
  | "skippedTransaction"
  | "transaction"
  | "transitions"
> => ({
  transaction: (id) =>
    Effect.map(select(sql, byId, [bytesOf(id)]), ([transaction]) => transaction ?? null),
  authorization: (address) =>
    Effect.map(
      readAll(
        sql,
        "SELECT address, public_key, signature, timestamp_ms FROM pool_authorization WHERE address = $1",
        [bytesOf(address)],
        authorizationOf
      ),
      ([authorization]) => authorization ?? null
    ),
  transitions: (id) =>
    readAll(
      sql,
      "SELECT from_state, to_state, at_ms, batch_num, reason FROM pool_transition WHERE id = $1 ORDER BY number",
      [bytesOf(id)],
      (row: TransitionRow) => transitionOf(id, row)
    ),
  skippedTransaction: (id) =>
    Effect.map(
      select(sql, skipById, [bytesOf(id)]),
      ([found]) => found === undefined || found.skip === null ? null : { id, ...found.skip }
    ),
  pooled: (ids) => select(sql, byIds, [byteaList(ids)]),
  members: (ids) => select(sql, members, [byteaList(ids)])
})

const numbersOfPool = (
  sql: SqlClient.SqlClient
): Reads<"counts" | "pendingOf" | "pendingTokens" | "reconciledBatchesBelow"> => ({
  counts: Effect.map(
    readAll(sql, "SELECT pend, fing, fged, invl FROM pool", [], countsOf),
    ([counts]) => counts!
  ),
  pendingOf: (index) =>
    Effect.map(
      readAll(
        sql,
        "SELECT pending FROM pool_sender WHERE account_index = $1",
        [int8(index)],
        (row: { readonly pending: bigint }) => Number(row.pending)
      ),
      ([pending]) => pending ?? 0
    ),
  pendingTokens: readAll(
    sql,
    pendingTokensStatement,
    [],
    (row: { readonly token_id: bigint }) => Number(row.token_id)
  ),
  reconciledBatchesBelow: ({ batchNum, limit }) =>
    readAll(
      sql,
      "SELECT batch_num, ethereum_block_hash FROM pool_mark WHERE batch_num < $1 ORDER BY batch_num DESC LIMIT $2",
      [int8(batchNum), int8(limit)],
      reconciledBatchOf
    )
})

const listsOfPool = (
  sql: SqlClient.SqlClient
): Reads<
  "inBatches" | "list" | "pendingBelow" | "pendingByFee" | "pendingExpired" | "pendingSince"
> => ({
  pendingByFee: ({ after, limit, tokenId }) =>
    after === null
      ? select(sql, firstByFee, [int8(tokenId), int8(limit)])
      : select(sql, nextByFee, [
        int8(tokenId),
        int8(limit),
        String(-feeUnits(after.transaction)),
        int8(after.arrival)
      ]),
  pendingSince: ({ beforeMs, limit }) => select(sql, since, [int8(beforeMs), int8(limit)]),
  pendingExpired: (belowBatchNum) => select(sql, expired, [int8(belowBatchNum)]),
  pendingBelow: (nonces) =>
    select(sql, belowNonces, [
      bigintList(nonces.map(({ index }) => index)),
      bigintList(nonces.map(({ nonce }) => nonce))
    ]),
  inBatches: ({ from, state, to }) => select(sql, inBatches, [state, int8(from), int8(to)]),
  list: (query) => {
    const { parameters, ...rows } = listQuery(query)
    return Effect.map(select(sql, rows, parameters), pageOf)
  }
})

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
      rows.map((row) => ({
        number: Number(row.number),
        ...transitionOf(prefixedHexOf(row.id), row)
      }))
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
  address: prefixedHexOf(row.address),
  publicKey: hexOf(row.public_key),
  signature: row.signature,
  timestampMs: Number(row.timestamp_ms)
})

const byId = queryOf(poolTransaction, "pool_transaction AS r WHERE r.id = $1")
const skipById = queryOf(
  shape<{ readonly skip: Skip | null }>({ skip }),
  "pool_transaction AS r WHERE r.id = $1"
)

/** Returns a transaction once for each time that its id occurs. */
const byIds = pooledQuery(`unnest($1::bytea[]) WITH ORDINALITY AS wanted (id, place)
CROSS JOIN LATERAL (SELECT * FROM pool_transaction WHERE pool_transaction.id = wanted.id LIMIT 1) AS r
ORDER BY wanted.place`)

const members = pooledQuery(`unnest($1::bytea[]) WITH ORDINALITY AS wanted (group_id, place)
JOIN pool_transaction AS r ON r.group_id = wanted.group_id ORDER BY wanted.place, r.group_position`)

const byFee = (after: string): RowQuery<Pooled> =>
  pooledQuery(
    `pool_transaction AS r WHERE r.state = 'pend' AND r.token_id = $1 ${after} ORDER BY r.token_id, - r.fee_units, r.arrival LIMIT $2`
  )
const firstByFee = byFee("")
const nextByFee = byFee("AND (- r.fee_units, r.arrival) > ($3::numeric, $4::bigint)")

const since = pooledQuery(
  "pool_transaction AS r WHERE r.state = 'pend' AND r.since_ms < $1 ORDER BY r.since_ms, r.arrival LIMIT $2"
)
const expired = pooledQuery(
  "pool_transaction AS r WHERE r.state = 'pend' AND r.max_num_batch < $1 ORDER BY r.max_num_batch, r.arrival"
)
const inBatches = pooledQuery(
  "pool_transaction AS r WHERE r.state <> 'pend' AND r.state = $1 AND r.batch_num BETWEEN $2 AND $3 ORDER BY r.batch_num, r.arrival"
)

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
const belowNonces = pooledQuery(
  `unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS wanted (account, nonce, place)
CROSS JOIN LATERAL (
  SELECT * FROM pool_transaction
  WHERE state = 'pend' AND from_account_index = wanted.account AND pool_transaction.nonce < wanted.nonce
  ORDER BY pool_transaction.nonce, arrival LIMIT 9223372036854775807
) AS r
ORDER BY wanted.place, r.nonce, r.arrival`
)
