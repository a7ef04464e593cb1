import { Deferred, Effect } from "effect"

/** Computations that concurrent requests for the same answer share. */
export interface SingleFlight<A> {
  /**
   * Joins the computation of this name if one is in flight, and starts it otherwise. It continues if
   * the client that started it disconnects.
   */
  readonly join: <E>(name: string, computation: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Number of requests that joined a computation. */
  readonly joined: () => number
}

export const makeSingleFlight = <A>(): SingleFlight<A> => {
  let joined = 0
  // a completed computation is cleared: V8 may retain deleted values of a map until a full garbage
  // collection
  const inFlight = new Map<string, { result: Deferred.Deferred<A, unknown> | undefined }>()
  return {
    join: <E>(name: string, computation: Effect.Effect<A, E>) =>
      // an interruption between `inFlight.set` and the computation would leave an entry that never ends
      Effect.uninterruptibleMask((restore) => {
        const running = inFlight.get(name)?.result
        if (running !== undefined) {
          joined++
          return restore(Deferred.await(running as Deferred.Deferred<A, E>))
        }
        const result = Deferred.makeUnsafe<A, unknown>()
        const flight: { result: typeof result | undefined } = { result }
        inFlight.set(name, flight)
        return Effect.onExit(computation, (exit) =>
          Effect.sync(() => {
            inFlight.delete(name)
            flight.result = undefined
            Deferred.doneUnsafe(result, exit)
          }))
      }),
    joined: () => joined
  }
}
