import { Effect, Scope, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import { waitFailure } from "./failure.ts"

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
