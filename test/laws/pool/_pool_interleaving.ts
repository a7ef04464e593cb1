import { Effect } from "effect"
import type { SeededRandom } from "../_seeded_random.ts"
import type { OpenPool } from "./pool_subject.ts"

/** Returns the same stores, which sometimes let other fibers run before a call. */
export const interleaved = (
  { reader, store, writer }: OpenPool,
  random: SeededRandom
): OpenPool => ({ reader: yielding(reader, random), store: yielding(store, random), writer })

function yielding<Service extends object>(service: Service, random: SeededRandom): Service {
  const before = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => random.chance(0.3) ? Effect.andThen(Effect.yieldNow, effect) : effect)
  return Object.fromEntries(
    Object.entries(service).map(([name, member]) => [
      name,
      typeof member === "function"
        ? (...parameters: ReadonlyArray<unknown>) => before(member(...parameters))
        : before(member)
    ])
  ) as Service
}

/** Lets other fibers run a random number of times, fewer than `limit`. */
export const yields = (random: SeededRandom, limit: number): Effect.Effect<void> =>
  Effect.repeat(Effect.yieldNow, { times: random.below(limit) })
