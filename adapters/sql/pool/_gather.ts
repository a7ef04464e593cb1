import { Deferred, Effect, Exit, Queue, type Scope } from "effect"

/**
 * Gathers what is asked for while an earlier turn is under way, and asks for it at once: one commit then serves as many as came in
 * the time of one. What nobody else asks for goes at once. Where a turn fails because of one that it serves, which then no retry
 * helps, each gets a turn of its own.
 */
export const gathered = <In, Out, E extends { readonly retry: boolean }>(
  turn: (all: ReadonlyArray<In>) => Effect.Effect<ReadonlyArray<Out>, E>,
  atOnceMax: number
): Effect.Effect<(one: In) => Effect.Effect<Out, E>, never, Scope.Scope> =>
  Effect.gen(function*() {
    interface Asked {
      readonly one: In
      readonly answer: Deferred.Deferred<Out, E>
    }
    const queue = yield* Queue.unbounded<Asked>()
    const unanswered = new Set<Asked>()
    const serve = (all: ReadonlyArray<Asked>): Effect.Effect<void> =>
      Effect.flatMap(Effect.exit(turn(all.map(({ one }) => one))), (exit) =>
        Exit.isSuccess(exit)
          ? Effect.sync(() =>
            all.forEach(({ answer }, place) =>
              Deferred.doneUnsafe(answer, Effect.succeed(exit.value[place]!))
            )
          )
          : all.length > 1 && !mayRetry(exit)
          ? Effect.forEach(all, (each) => serve([each]), { discard: true })
          : Effect.sync(() =>
            all.forEach(({ answer }) => Deferred.doneUnsafe(answer, Exit.failCause(exit.cause)))
          ))
    yield* Effect.forkScoped(Effect.forever(Effect.gen(function*() {
      const all = yield* Queue.takeBetween(queue, 1, atOnceMax)
      yield* serve(all)
      for (const each of all) unanswered.delete(each)
    })))
    // nobody waits for what will not be done
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Queue.shutdown(queue),
        Effect.forEach(unanswered, ({ answer }) => Deferred.interrupt(answer))
      )
    )
    return (one) =>
      Effect.suspend(() => {
        const asked = { one, answer: Deferred.makeUnsafe<Out, E>() }
        unanswered.add(asked)
        return Queue.offerUnsafe(queue, asked) ? Deferred.await(asked.answer) : Effect.interrupt
      })
  })

const mayRetry = <E extends { readonly retry: boolean }>(exit: Exit.Failure<unknown, E>): boolean =>
  exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error.retry)
