import { type PgConnection, PgPool } from "@effect/sql-pg"
import { Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql"

type Session = PgConnection.PgConnection

/** A pool of sessions that are replaced when they are old, or may be at the wrong server. */
export interface SessionPool {
  /** Lends a session to one effect. */
  readonly use: <A, E, R>(
    f: (session: Session) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | SqlError.SqlError, R>
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
      use: (f) => Effect.scoped(Effect.flatMap(get, f)),
      reserve: Effect.flatMap(get, (session) => session.pin),
      replaceAll: () => void generation++
    }
  })
