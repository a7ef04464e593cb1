import type { PgConnection } from "@effect/sql-pg"
import { Effect, Stream } from "effect"
import { type SqlConnection, SqlError } from "effect/sql"
import { isConnectionLost } from "./failure.ts"

/** Returns the connection of the SQL client over a session; calls `onError` with each failure. */
export const connectionOf = (
  session: PgConnection.PgConnection,
  onError: (error: SqlError.SqlError) => void
): SqlConnection.Connection => {
  const report = <A>(
    answer: Effect.Effect<A, SqlError.SqlError>
  ): Effect.Effect<A, SqlError.SqlError> =>
    Effect.tapError(answer, (error) => Effect.sync(() => onError(error)))
  const rows =
    (prepare: boolean): SqlConnection.Connection["execute"] => (sql, params, transformRows) =>
      Effect.map(
        report(session.query(sql, params, prepare)),
        (result) => transformRows === undefined ? result.rows : transformRows(result.rows)
      )
  return {
    execute: rows(true),
    executeUnprepared: rows(false),
    executeRaw: (sql, params) => report(session.query(sql, params)),
    executeValues: (sql, params) => report(session.queryValues(sql, params)),
    executeValuesUnprepared: (sql, params) => report(session.queryValues(sql, params, false)),
    executeStream: (sql, params, transformRows) =>
      transformRows === undefined
        ? session.stream(sql, params)
        : Stream.mapArray(session.stream(sql, params), (chunk) =>
          transformRows(chunk) as typeof chunk)
  }
}

/**
 * Returns the connection of a transaction. If the connection is lost, the server rolls back by
 * itself. A ROLLBACK that fails for this reason is ignored, since it would turn the failure of the
 * transaction, which can be retried, into a defect.
 */
export const transactionConnectionOf = (
  session: PgConnection.PgConnection,
  onError: (error: SqlError.SqlError) => void
): SqlConnection.Connection => {
  const connection = connectionOf(session, onError)
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

/**
 * Commits. Fails if a statement of the transaction had failed: PostgreSQL then answers COMMIT with
 * `ROLLBACK` instead of an error.
 */
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
