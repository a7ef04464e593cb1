import type { PgConnection } from "@effect/sql-pg"
import { Effect, Stream } from "effect"
import type { SqlConnection } from "effect/sql"
import { SqlError } from "effect/sql"
import { isConnectionLost } from "./failure.ts"

/** A session of the driver as the client speaks to it. */
export const connectionOf = (
  session: PgConnection.PgConnection,
  noticed: (error: SqlError.SqlError) => void
): SqlConnection.Connection => {
  const noting = <A>(
    answer: Effect.Effect<A, SqlError.SqlError>
  ): Effect.Effect<A, SqlError.SqlError> =>
    Effect.tapError(answer, (error) => Effect.sync(() => noticed(error)))
  const rows =
    (prepare: boolean): SqlConnection.Connection["execute"] => (sql, params, transformRows) =>
      Effect.map(
        noting(session.query(sql, params, prepare)),
        (result) => transformRows === undefined ? result.rows : transformRows(result.rows)
      )
  return {
    execute: rows(true),
    executeUnprepared: rows(false),
    executeRaw: (sql, params) => noting(session.query(sql, params)),
    executeValues: (sql, params) => noting(session.queryValues(sql, params)),
    executeValuesUnprepared: (sql, params) => noting(session.queryValues(sql, params, false)),
    executeStream: (sql, params, transformRows) =>
      transformRows === undefined
        ? session.stream(sql, params)
        : Stream.mapArray(session.stream(sql, params), (chunk) =>
          transformRows(chunk) as typeof chunk)
  }
}

/**
 * A session for a transaction. Where it is lost, the server rolls back by itself: a ROLLBACK that cannot be said any more must not
 * turn the failure of the transaction, which may be tried again, into a defect.
 */
export const transactionConnectionOf = (
  session: PgConnection.PgConnection,
  noticed: (error: SqlError.SqlError) => void
): SqlConnection.Connection => {
  const connection = connectionOf(session, noticed)
  return {
    ...connection,
    execute: (sql, params, transformRows) => {
      const answer = connection.execute(sql, params, transformRows)
      return sql === "ROLLBACK"
        ? Effect.catchIf(answer, isConnectionLost, () => Effect.succeed([]))
        : answer
    }
  }
}

/** PostgreSQL answers COMMIT with `ROLLBACK` where a statement of the transaction had failed. */
export const commit = (
  connection: SqlConnection.Connection
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.flatMap(
    connection.executeRaw("COMMIT", []) as Effect.Effect<PgConnection.Result, SqlError.SqlError>,
    ({ command }) =>
      command === "ROLLBACK"
        ? Effect.fail(
          new SqlError.SqlError({
            reason: new SqlError.UnknownError({
              operation: "commit",
              cause: new Error(
                "The transaction was rolled back, since a statement of it had failed"
              )
            })
          })
        )
        : Effect.void
  )
