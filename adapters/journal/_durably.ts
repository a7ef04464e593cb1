import { Effect, type Result } from "effect"
import type { StoreFailure } from "../../core/ports/mod.ts"
import type { RecordLog } from "./record_log.ts"

/**
 * Computes an answer at once, and gives it when everything that it may show is on disk: nobody sees, or acts on, what a crash could take
 * back. A failed journal answers nothing more.
 */
export const durably = (journal: RecordLog) => <A, E>(compute: () => Result.Result<A, E>): Effect.Effect<A, E | StoreFailure> =>
  Effect.suspend(() => {
    if (journal.failure !== undefined) return Effect.fail(journal.failure)
    const answer = compute()
    return journal.isDurable ? Effect.fromResult(answer) : Effect.andThen(journal.durable, Effect.fromResult(answer))
  })
