import { Deferred, Effect } from "effect"

/** A call before which a service waits. */
export interface Halt {
  /** Number of calls before it. */
  readonly after: number
  /** Completes when the call is reached. */
  readonly reached: Deferred.Deferred<void>
  /** The call waits until this completes. */
  readonly resumed: Deferred.Deferred<void>
}

export const haltAfter = (after: number): Halt => ({
  after,
  reached: Deferred.makeUnsafe(),
  resumed: Deferred.makeUnsafe()
})

/** Returns the same service, which waits before one of its calls. */
export function halting<Service extends object>(service: Service, halt: Halt): Service {
  let calls = 0
  const before = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() =>
      calls++ === halt.after
        ? Deferred.succeed(halt.reached, undefined).pipe(
          Effect.andThen(Deferred.await(halt.resumed)),
          Effect.andThen(effect)
        )
        : effect
    )
  return Object.fromEntries(
    Object.entries(service).map(([name, member]) => [
      name,
      typeof member === "function"
        ? (...parameters: ReadonlyArray<unknown>) => before(member(...parameters))
        : before(member)
    ])
  ) as Service
}
