import { Clock, Data, Effect, Result } from "effect"
import type { StoreFailure } from "../../core/mod.ts"

/**
 * Retries a step with exponential backoff while the store is unavailable. Fails if the failure of
 * the store is permanent. The step must be idempotent: a store can fail after it has written. A step
 * that took long before it failed, such as one that waited to become the writer, begins a new
 * backoff: the store was available meanwhile.
 */
export const retryUntilAvailable = <A, E, R>(
  step: Effect.Effect<A, E | StoreFailure, R>
): Effect.Effect<A, E | StoreFailure, R> => retryWhile(step, isTransient)

/**
 * Another process may have written the ledger since this one did. The next block of this process
 * may not follow the last one, and its next rollback could drop blocks of the other process.
 */
export class WriterChanged
  extends Data.TaggedError("WriterChanged")<{ readonly message: string }>
{}

/**
 * Like `retryUntilAvailable`, for a step that depends on the write before it. Fails with
 * `WriterChanged` if another process may have written in between.
 */
export const retryUnlessWriterChanged = <A, E, R>(
  step: Effect.Effect<A, E | StoreFailure, R>
): Effect.Effect<A, E | StoreFailure | WriterChanged, R> =>
  Effect.mapError(
    retryWhile(step, (error) => isTransient(error) && error.writerChanged !== true),
    (error) =>
      isStoreFailure(error) && error.writerChanged === true
        ? new WriterChanged({ message: error.message })
        : error
  )

const retryWhile = <A, E, R>(
  step: Effect.Effect<A, E, R>,
  isRetriable: (error: E) => boolean
): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    for (let waitMs = FIRST_WAIT_MS;; waitMs = Math.min(2 * waitMs, LAST_WAIT_MS)) {
      const beginMs = yield* Clock.currentTimeMillis
      const result = yield* Effect.result(step)
      if (Result.isSuccess(result)) return result.success
      const error = result.failure
      if (!isRetriable(error)) return yield* Effect.fail(error)
      if ((yield* Clock.currentTimeMillis) - beginMs > LAST_WAIT_MS) waitMs = FIRST_WAIT_MS
      yield* Effect.logWarning(
        `The store is unavailable, retrying in ${waitMs / 1000} s: ${
          (error as { readonly message?: unknown }).message
        }`
      )
      yield* Effect.sleep(waitMs)
    }
  })

const FIRST_WAIT_MS = 250
/** Less than the term of a lease: a process that can take over does so soon after the outage. */
const LAST_WAIT_MS = 4000

const isStoreFailure = (error: unknown): error is StoreFailure =>
  (error as { readonly _tag?: unknown } | null)?._tag === "StoreFailure"

const isTransient = (error: unknown): error is StoreFailure => isStoreFailure(error) && error.retry
