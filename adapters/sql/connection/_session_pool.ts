import { type PgConnection, PgPool } from "@effect/sql-pg"
import { Effect, Scope, Semaphore, Stream } from "effect"
import { type SqlConnection, SqlError } from "effect/sql"
import { isConnectionLost, waitFailure } from "./failure.ts"

type Session = PgConnection.PgConnection

/** A pool of sessions that are replaced when they are old, or may be at the wrong server. */
export interface SessionPool {
  /** Lends a session until the scope closes. */
  readonly get: Effect.Effect<Session, SqlError.SqlError, Scope.Scope>
  /** Like `get`, and no other statement uses the session. */
  readonly reserve: Effect.Effect<Session, SqlError.SqlError, Scope.Scope>
  /**
   * Replaces the sessions that are open: each is closed when it would be lent again. Running
   * statements finish.
   */
  readonly replaceAll: () => void
}

/**
 * Greatest age of a session that is lent. A session stays with the server that a proxy or a DNS name
 * chose when it was opened. If that server is no longer the primary, writes fail, but reads succeed
 * with old data until the session is replaced. The lifetime is not shorter because each new session
 * prepares its statements again.
 */
export const sessionLifetimeMs = 300_000

/** Makes a pool whose sessions are opened on demand, and closes it with the scope. */
export const makeSessionPool = (
  config: Omit<PgPool.Config, "connectionTTL">
): Effect.Effect<SessionPool, SqlError.SqlError, Scope.Scope> =>
  Effect.map(PgPool.make({ ...config, connectionTTL: sessionLifetimeMs }), (pool): SessionPool => {
    let generation = 0
    const generations = new WeakMap<Session, number>()
    const isCurrent = (session: Session): boolean => {
      const first = generations.get(session)
      if (first === undefined) generations.set(session, generation)
      return first === undefined || first === generation
    }
    const get: SessionPool["get"] = Effect.flatMap(pool.get, (session) =>
      isCurrent(session)
        ? Effect.succeed(session)
        : Effect.andThen(pool.invalidate(session), get))
    return {
      get,
      reserve: Effect.flatMap(get, (session) => session.pin),
      replaceAll: () => void generation++
    }
  })

export interface ConnectionLimiterOptions {
  /** Statements or transactions that run at once. */
  readonly permits: number
  /** Greatest time to wait for a permit. */
  readonly waitMs: number
  /** Connections that the permits share, for the error message. */
  readonly connections: number
}

export interface ConnectionLimiterStats {
  /** Statements and transactions that hold a permit. */
  readonly inUse: number
  readonly waiting: number
  /** Total of statements and transactions that waited for a permit. */
  readonly waits: number
  /** Total of waits that failed after `waitMs`. */
  readonly timeouts: number
}

/**
 * Limits how many statements and transactions run at once, and how long each waits for a
 * connection; the pool of the driver does neither. After `waitMs` a wait fails with a
 * `waitFailure`.
 */
export const makeConnectionLimiter = (
  { connections, permits, waitMs }: ConnectionLimiterOptions
) => {
  const semaphore = Semaphore.makeUnsafe(permits)
  let [inUse, waiting, waits, timeouts] = [0, 0, 0, 0]
  const all = connections === 1 ? "The connection was" : `All ${connections} connections were`
  const timedOut = waitFailure(
    `${all} in use for ${waitMs} ms: try again, or allow more connections`
  )
  const take = Effect.map(semaphore.takeIfAvailable(1), (isTaken) => {
    if (isTaken) inUse++
    return isTaken
  })
  const release = Effect.suspend(() => {
    inUse--
    return semaphore.release(1)
  })
  // scoped, to release a permit that is granted at the same time as the timeout
  const wait: Effect.Effect<void, SqlError.SqlError, Scope.Scope> = Effect.acquireUseRelease(
    Effect.sync(() => {
      waits++
      waiting++
    }),
    () =>
      Effect.timeoutOrElse(semaphore.takeScoped(1), {
        duration: waitMs,
        orElse: () =>
          Effect.suspend(() => {
            timeouts++
            return Effect.fail(timedOut)
          })
      }),
    () => Effect.sync(() => void waiting--)
  ).pipe(
    Effect.andThen(Effect.acquireRelease(
      Effect.sync(() => inUse++),
      () => Effect.sync(() => inUse--)
    ))
  )
  return {
    stats: (): ConnectionLimiterStats => ({ inUse, waiting, waits, timeouts }),
    /** Runs the effect with a permit; creates a scope only if it has to wait. */
    withPermit: <A, E, R>(
      effect: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | SqlError.SqlError, R> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(take, (isTaken) =>
          isTaken
            ? Effect.ensuring(restore(effect), release)
            : restore(
              Effect.scopedWith((scope) => Effect.andThen(Scope.provide(wait, scope), effect))
            ))
      ),
    /** Holds a permit until the scope closes. */
    scopedPermit: Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        take,
        (isTaken) => isTaken ? Effect.addFinalizer(() => release) : restore(wait)
      )
    )
  }
}

/** Returns the connection of the SQL client over a session; calls `onError` with each failure. */
export const connectionOf = (
  session: Session,
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
  session: Session,
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
