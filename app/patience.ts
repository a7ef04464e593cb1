import { Data, Effect } from "effect"
import type { StoreFailure } from "../core/mod.ts"

/**
 * Does a step again until the store answers: what brings blocks outlives the database. The step must be one that does no harm twice, since a
 * store can fail after it has written.
 */
export const patiently = <A, E, R>(step: Effect.Effect<A, E | StoreFailure, R>): Effect.Effect<A, Exclude<E, StoreFailure>, R> =>
  again(step, (error): error is E & StoreFailure => isStoreFailure(error), FIRST_WAIT_MS) as Effect.Effect<A, Exclude<E, StoreFailure>, R>

/** Others have written the ledger since this process did: its next block would be none, and its next rollback would take away theirs. */
export class Overtaken extends Data.TaggedError("Overtaken")<{ readonly message: string }> {}

/** A write that goes on from the one before it: done again until the store answers, unless others have written meanwhile. */
export const patientlyInTurn = <A, E, R>(write: Effect.Effect<A, E | StoreFailure, R>): Effect.Effect<A, Exclude<E, StoreFailure> | Overtaken, R> =>
  Effect.catchIf(again(write, (error): error is E & StoreFailure => isStoreFailure(error) && error.overtaken !== true, FIRST_WAIT_MS), isStoreFailure,
    ({ message }) => Effect.fail(new Overtaken({ message }))) as Effect.Effect<A, Exclude<E, StoreFailure> | Overtaken, R>

const again = <A, E, R>(step: Effect.Effect<A, E, R>, mayPass: (error: E) => error is E & StoreFailure, waitMs: number): Effect.Effect<A, E, R> =>
  Effect.catchIf(step, mayPass, (failure) =>
    Effect.logWarning(`Blocks wait for the store, ${waitMs / 1000} s: ${failure.message}`).pipe(
      Effect.andThen(Effect.sleep(waitMs)),
      Effect.andThen(again(step, mayPass, Math.min(2 * waitMs, LAST_WAIT_MS)))
    ))

const FIRST_WAIT_MS = 250
const LAST_WAIT_MS = 16_000

const isStoreFailure = (error: unknown): error is StoreFailure => (error as { readonly _tag?: unknown } | null)?._tag === "StoreFailure"
