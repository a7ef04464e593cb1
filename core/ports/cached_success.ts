import { Effect, Exit } from "effect"

/**
 * Caches the result of the first run that succeeds: an import fails while the process has no free
 * file descriptor. A run is uninterruptible, since others wait for it.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { cachedSuccess } from "rollup-node-api"
 *
 * let runs = 0
 * const cached = Effect.runSync(cachedSuccess(Effect.sync(() => ++runs)))
 * Effect.runSync(cached)
 * console.log(Effect.runSync(cached)) // => 1
 * ```
 */
export const cachedSuccess = <A>(effect: Effect.Effect<A>): Effect.Effect<Effect.Effect<A>> =>
  Effect.cachedWithTTL(
    Effect.uninterruptible(effect),
    (exit) => Exit.isSuccess(exit) ? Infinity : 0
  )
