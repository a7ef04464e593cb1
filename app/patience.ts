import { Effect } from "effect"
import type { StoreFailure } from "../core/mod.ts"

/**
 * Does a step again until the store answers: what brings blocks outlives the database. The step must be one that does no harm twice, since a
 * store can fail after it has written.
 */
export const patiently = <A, E, R>(
  step: Effect.Effect<A, E | StoreFailure, R>, waitMs = FIRST_WAIT_MS
): Effect.Effect<A, Exclude<E, StoreFailure>, R> =>
  Effect.catchIf(step, isStoreFailure, (failure) =>
    Effect.logWarning(`Blocks wait for the store, ${waitMs / 1000} s: ${failure.message}`).pipe(
      Effect.andThen(Effect.sleep(waitMs)),
      Effect.andThen(patiently(step, Math.min(2 * waitMs, LAST_WAIT_MS)))
    )) as Effect.Effect<A, Exclude<E, StoreFailure>, R>

const FIRST_WAIT_MS = 250
const LAST_WAIT_MS = 16_000

const isStoreFailure = (error: unknown): error is StoreFailure => (error as { readonly _tag?: unknown } | null)?._tag === "StoreFailure"
