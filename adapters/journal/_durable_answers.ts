import { Effect, Result } from "effect"
import type { StoreFailure } from "../../core/ports/mod.ts"
import type { RecordLog } from "./record_log.ts"

/**
 * Returns a function that computes an answer, and returns it once all records appended so far are
 * durable. So no client sees a change that a crash could undo. Fails if the log has failed.
 */
export const answerWhenDurable =
  (log: RecordLog) =>
  <A, E>(compute: () => Result.Result<A, E>): Effect.Effect<A, E | StoreFailure> =>
    Effect.suspend(() =>
      log.failure === undefined ? whenDurable(log, compute()) : Effect.fail(log.failure)
    )

/** As `answerWhenDurable`, for an answer that an effect computes. */
export const awaitDurable = <A, E, F>(
  log: RecordLog,
  compute: Effect.Effect<Result.Result<A, E>, F>
): Effect.Effect<A, E | F | StoreFailure> =>
  Effect.suspend(() =>
    log.failure === undefined
      ? Effect.flatMap(Effect.result(compute), (outcome) =>
        whenDurable(
          log,
          Result.flatMap(outcome, (answer): Result.Result<A, E | F> => answer)
        ))
      : Effect.fail(log.failure)
  )

const whenDurable = <A, E>(
  log: RecordLog,
  answer: Result.Result<A, E>
): Effect.Effect<A, E | StoreFailure> =>
  log.isDurable
    ? Effect.fromResult(answer)
    : Effect.andThen(log.durable, Effect.fromResult(answer))
