import { Effect } from "effect"
import { StoreFailure } from "../../../core/ports/mod.ts"
import type { SeededRandom } from "../../laws/_seeded_random.ts"
import type { FiberSchedule } from "./schedule.ts"

export const mishaps = [
  "connection lost before the commit",
  "connection lost after the commit",
  "deadlock",
  "serialization failure",
  "timeout",
  "timeout after the write",
  "no free connection",
  "slow"
] as const
export type Mishap = typeof mishaps[number]

/** Injects random faults, and counts them. */
export class FaultInjector {
  /** The share of calls that fail. */
  roughness = 0
  /** Whether the database cannot be reached at all. */
  isUnreachable = false
  /** Grows with every event that may prevent a response. */
  faults = 0
  readonly #count: (mishap: Mishap) => void
  readonly scheduler: FiberSchedule

  constructor(scheduler: FiberSchedule, count: (mishap: Mishap) => void) {
    this.scheduler = scheduler
    this.#count = count
  }

  get random(): SeededRandom {
    return this.scheduler.random
  }

  get isCalm(): boolean {
    return this.roughness === 0 && !this.isUnreachable
  }

  /** Returns the fault of one call to the database, if it has one. */
  draw(writes: boolean): Mishap | undefined {
    const { random } = this
    if (this.isUnreachable) {
      return random.chance(0.8)
        ? "connection lost before the commit"
        : "timeout"
    }
    if (this.roughness === 0 || !random.chance(this.roughness)) return undefined
    const drawn = random.of(mishaps)
    // a read whose result is lost does not differ from a lost read
    return !writes &&
        (drawn === "deadlock" || drawn === "connection lost after the commit" ||
          drawn === "timeout after the write")
      ? "connection lost before the commit"
      : drawn
  }

  /** Returns the same call with a random fault. */
  over<A, E>(call: Effect.Effect<A, E>, writes: boolean): Effect.Effect<A, E | StoreFailure> {
    return Effect.suspend((): Effect.Effect<A, E | StoreFailure> => {
      const mishap = this.draw(writes)
      if (mishap === undefined) {
        return this.random.chance(0.25)
          ? Effect.andThen(Effect.yieldNow, this.random.chance(0.3) ? late(call) : call)
          : call
      }
      this.#count(mishap)
      if (mishap !== "slow") this.faults++
      const failed = Effect.fail(
        new StoreFailure({ message: `The database does not answer: ${mishap}`, retry: true })
      )
      const afterMs = (ms: number) => Effect.sleep(1 + this.random.below(ms))
      switch (mishap) {
        case "slow":
          return Effect.andThen(afterMs(900), late(call))
        case "timeout":
          return Effect.andThen(Effect.sleep(5000), failed)
        case "no free connection":
          return Effect.andThen(afterMs(2000), failed)
        case "connection lost after the commit":
          return Effect.andThen(call, failed)
        case "timeout after the write":
          return Effect.andThen(Effect.andThen(call, Effect.sleep(5000)), failed)
        default:
          return Effect.andThen(Effect.yieldNow, failed)
      }
    })
  }
}

/** Delays a result. */
const late = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(call, (found) => Effect.as(Effect.yieldNow, found))
