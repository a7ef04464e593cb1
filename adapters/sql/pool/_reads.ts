import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { feeUnits } from "../../../core/domain/mod.ts"
import type { Pooled, PoolStore, StoreFailure } from "../../../core/ports/mod.ts"
import { bigintArray, bytesArray, storeFailure } from "../connection/mod.ts"
import {
  authorization,
  inferredShape,
  type NumberedTransition,
  pick,
  poolTransaction,
  poolTransition,
  queryOf,
  reconciledBatch,
  type RowQuery,
  selectRows,
  skip
} from "../entities/mod.ts"
import { listQuery, pageOf } from "./_list.ts"
import { bytesOf, int8, numbersQuery, pooledQuery } from "./pool_rows.ts"

/** Returns the reads of the pool. Each is one statement, which finds its rows through an index. */
export const poolReads = (sql: SqlClient.SqlClient) => ({
  transaction: (id) =>
    Effect.map(select(sql, byId, [bytesOf(id)]), ([transaction]) => transaction ?? null),
  authorization: (address) =>
    Effect.map(select(sql, authorizations, [bytesOf(address)]), ([found]) => found ?? null),
  transitions: (id) => select(sql, transitions, [bytesOf(id)]),
  skippedTransaction: (id) =>
    Effect.map(
      select(sql, skipById, [bytesOf(id)]),
      ([found]) => found === undefined || found.skip === null ? null : { id, ...found.skip }
    ),
  pooled: (ids) => select(sql, byIds, [bytesArray(ids)]),
  members: (ids) => select(sql, members, [bytesArray(ids)]),
  counts: Effect.map(select(sql, numbersQuery, []), ([numbers]) => numbers!.counts),
  pendingOf: (index) =>
    Effect.map(select(sql, pendingOfAccount, [int8(index)]), ([pending]) => pending ?? 0),
  pendingTokens: select(sql, pendingTokens, []),
  reconciledBatchesBelow: ({ batchNum, limit }) =>
    select(sql, reconciledBelow, [int8(batchNum), int8(limit)]),
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
      bigintArray(nonces.map(({ index }) => index)),
      bigintArray(nonces.map(({ nonce }) => nonce))
    ]),
  inBatches: ({ from, state, to }) => select(sql, inBatches, [state, int8(from), int8(to)]),
  list: (query) => {
    const { parameters, ...rows } = listQuery(query)
    return Effect.map(select(sql, rows, parameters), pageOf)
  }
} satisfies Partial<PoolStore["Service"]>)

const select = <Row>(
  sql: SqlClient.SqlClient,
  query: RowQuery<Row>,
  parameters: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<Row>, StoreFailure> =>
  Effect.mapError(selectRows(sql, query, parameters), storeFailure)

/** Returns the number of the next transition. */
export const nextTransition = (
  sql: SqlClient.SqlClient
): Effect.Effect<number, SqlError.SqlError> =>
  Effect.map(selectRows(sql, numbersQuery), ([numbers]) => numbers!.nextTransition)

/** Returns the transitions of all transactions from a number on, ascending. */
export const transitionsFrom = (
  sql: SqlClient.SqlClient,
  number: number,
  limit: number
): Effect.Effect<ReadonlyArray<NumberedTransition>, SqlError.SqlError> =>
  selectRows(sql, numberedTransitions, [int8(number), int8(limit)])

const numberedTransitions = queryOf(
  poolTransition,
  "pool_transition AS r WHERE r.number >= $1 ORDER BY r.number LIMIT $2"
)
const transitions = queryOf(
  pick(poolTransition, "id", "from", "to", "atMs", "batchNum", "reason"),
  "pool_transition AS r WHERE r.id = $1 ORDER BY r.number"
)
const authorizations = queryOf(authorization, "pool_authorization AS r WHERE r.address = $1")

const byId = queryOf(poolTransaction, "pool_transaction AS r WHERE r.id = $1")
const skipById = queryOf(inferredShape({ skip }), "pool_transaction AS r WHERE r.id = $1")

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
const pendingTokens: RowQuery<number> = {
  statement: `
WITH RECURSIVE found (token_id) AS (
  SELECT min(token_id) FROM pool_transaction WHERE state = 'pend'
  UNION ALL
  SELECT (SELECT min(t.token_id) FROM pool_transaction AS t WHERE t.state = 'pend' AND t.token_id > found.token_id) FROM found WHERE found.token_id IS NOT NULL
)
SELECT token_id FROM found WHERE token_id IS NOT NULL`,
  read: ([tokenId]) => Number(tokenId)
}

const pendingOfAccount: RowQuery<number> = {
  statement: "SELECT pending FROM pool_sender WHERE account_index = $1",
  read: ([pending]) => Number(pending)
}

const reconciledBelow = queryOf(
  reconciledBatch,
  "pool_mark AS r WHERE r.batch_num < $1 ORDER BY r.batch_num DESC LIMIT $2"
)

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
