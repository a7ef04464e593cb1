import { Effect, Result } from "effect"
import type { StoreFailure } from "../../core/ports/mod.ts"
import type { RecordLog } from "./record_log.ts"

/**
 * Computes an answer at once, and gives it when everything that it may show is on disk: nobody sees, or acts on, what a crash could take
 * back. A failed journal answers nothing more.
 */
export const durably =
  (journal: RecordLog) =>
  <A, E>(compute: () => Result.Result<A, E>): Effect.Effect<A, E | StoreFailure> =>
    Effect.suspend(() =>
      journal.failure === undefined ? onceDurable(journal, compute()) : Effect.fail(journal.failure)
    )

/** As `durably`, of what does not compute its answer at once. */
export const durablyAfter = <A, E, F>(
  journal: RecordLog,
  compute: Effect.Effect<Result.Result<A, E>, F>
): Effect.Effect<A, E | F | StoreFailure> =>
  Effect.suspend(() =>
    journal.failure === undefined
      ? Effect.flatMap(Effect.result(compute), (outcome) =>
        onceDurable(
          journal,
          Result.flatMap(outcome, (answer): Result.Result<A, E | F> => answer)
        ))
      : Effect.fail(journal.failure)
  )

const onceDurable = <A, E>(
  journal: RecordLog,
  answer: Result.Result<A, E>
): Effect.Effect<A, E | StoreFailure> =>
  journal.isDurable
    ? Effect.fromResult(answer)
    : Effect.andThen(journal.durable, Effect.fromResult(answer))
