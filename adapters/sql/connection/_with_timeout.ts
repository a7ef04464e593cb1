import { Effect, Fiber } from "effect"

/**
 * Runs an effect; after `ms` it interrupts the effect, without waiting for it, and runs `late`.
 * Every read pays for it: it costs a fraction of `Effect.timeoutOrElse`.
 */
export const withTimeout = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  ms: number,
  late: Effect.Effect<never, E>
): Effect.Effect<A, E, R> =>
  Effect.contextWith((context) =>
    Effect.callback<A, E, R>((resume) => {
      const fiber = Effect.runForkWith(context)(effect)
      const timer = setTimeout(() => {
        // resume first: the fiber may end during the interruption
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
