import { Deferred, Effect, Exit, Queue, type Scope } from "effect"

/**
 * Returns a function that batches requests: those that arrive while a batch is in flight form the
 * next one, so that one commit serves them all; a request that finds no batch in flight runs
 * immediately. If a batch fails and a retry cannot help, one of its requests must be the cause, so
 * each runs again alone.
 */
export const batchRequests = <In, Out, E extends { readonly retry: boolean }>(
  runBatch: (all: ReadonlyArray<In>) => Effect.Effect<ReadonlyArray<Out>, E>,
  batchMax: number
): Effect.Effect<(one: In) => Effect.Effect<Out, E>, never, Scope.Scope> =>
  Effect.gen(function*() {
    interface PendingRequest {
      readonly one: In
      readonly answer: Deferred.Deferred<Out, E>
    }
    const queue = yield* Queue.unbounded<PendingRequest>()
    const unanswered = new Set<PendingRequest>()
    const runAll = (all: ReadonlyArray<PendingRequest>): Effect.Effect<void> =>
      Effect.flatMap(Effect.exit(runBatch(all.map(({ one }) => one))), (exit) =>
        Exit.isSuccess(exit)
          ? Effect.sync(() =>
            all.forEach(({ answer }, i) =>
              Deferred.doneUnsafe(answer, Effect.succeed(exit.value[i]!))
            )
          )
          : all.length > 1 && !mayRetry(exit)
          ? Effect.forEach(all, (each) => runAll([each]), { discard: true })
          : Effect.sync(() =>
            all.forEach(({ answer }) => Deferred.doneUnsafe(answer, Exit.failCause(exit.cause)))
          ))
    yield* Effect.forkScoped(Effect.forever(Effect.gen(function*() {
      const all = yield* Queue.takeBetween(queue, 1, batchMax)
      yield* runAll(all)
      for (const each of all) unanswered.delete(each)
    })))
    // on shutdown, interrupt the requests that are still queued
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Queue.shutdown(queue),
        Effect.forEach(unanswered, ({ answer }) => Deferred.interrupt(answer))
      )
    )
    return (one) =>
      Effect.suspend(() => {
        const request = { one, answer: Deferred.makeUnsafe<Out, E>() }
        unanswered.add(request)
        return Queue.offerUnsafe(queue, request) ? Deferred.await(request.answer) : Effect.interrupt
      })
  })

const mayRetry = <E extends { readonly retry: boolean }>(exit: Exit.Failure<unknown, E>): boolean =>
  exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error.retry)
