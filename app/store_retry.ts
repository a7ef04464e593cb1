import { Data, Effect } from "effect"
import type { StoreFailure } from "../core/mod.ts"

/**
 * Does a step again until the store answers: what brings blocks outlives the database. The step must be one that does no harm twice, since a
 * store can fail after it has written.
 */
export const retryUntilAvailable = <A, E, R>(
  step: Effect.Effect<A, E | StoreFailure, R>
): Effect.Effect<A, Exclude<E, StoreFailure>, R> =>
  retryWhile(step, isStoreFailure, FIRST_WAIT_MS) as Effect.Effect<A, Exclude<E, StoreFailure>, R>

/** Others may have written the ledger since this process did: its next block could be none, and its next rollback could take away theirs. */
export class WriterChanged
  extends Data.TaggedError("WriterChanged")<{ readonly message: string }>
{}

/** A write that goes on from the one before it: done again until the store answers, unless others may have written meanwhile. */
export const retryUnlessWriterChanged = <A, E, R>(
  write: Effect.Effect<A, E | StoreFailure, R>
): Effect.Effect<A, Exclude<E, StoreFailure> | WriterChanged, R> =>
  toWriterChanged(
    retryWhile(write, (error) => isStoreFailure(error) && error.writerChanged !== true, FIRST_WAIT_MS)
  ) as Effect.Effect<A, Exclude<E, StoreFailure> | WriterChanged, R>

/** The same where somebody waits for the start of the program: what does not pass by itself is told to him. */
export const retryTransient = <A, E, R>(
  step: Effect.Effect<A, E | StoreFailure, R>
): Effect.Effect<A, E | StoreFailure | WriterChanged, R> =>
  toWriterChanged(
    retryWhile(step, (error) =>
      isStoreFailure(error) && error.retry && error.writerChanged !== true, FIRST_WAIT_MS)
  )

const toWriterChanged = <A, E, R>(
  step: Effect.Effect<A, E, R>
): Effect.Effect<A, E | WriterChanged, R> =>
  Effect.catch(
    step,
    (error): Effect.Effect<never, E | WriterChanged> =>
      Effect.fail(
        isStoreFailure(error) && error.writerChanged === true
          ? new WriterChanged({ message: error.message })
          : error
      )
  )

const retryWhile = <A, E, R>(
  step: Effect.Effect<A, E, R>,
  isRetriable: (error: E) => boolean,
  waitMs: number
): Effect.Effect<A, E, R> =>
  Effect.catch(step, (error) =>
    isRetriable(error)
      ? Effect.logWarning(
        `Blocks wait for the store, ${waitMs / 1000} s: ${
          (error as { readonly message?: unknown }).message
        }`
      ).pipe(
        Effect.andThen(Effect.sleep(waitMs)),
        Effect.andThen(retryWhile(step, isRetriable, Math.min(2 * waitMs, LAST_WAIT_MS)))
      )
      : Effect.fail(error))

const FIRST_WAIT_MS = 250
const LAST_WAIT_MS = 16_000

const isStoreFailure = (error: unknown): error is StoreFailure =>
  (error as { readonly _tag?: unknown } | null)?._tag === "StoreFailure"
