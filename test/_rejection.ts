import { assert } from "@effect/vitest"

/** Returns the error of a promise that must reject. */
export const rejection = (
  promise: Promise<unknown>
): Promise<Error & { readonly _tag?: string }> =>
  promise.then(
    () => assert.fail("It resolved, expected a rejection"),
    (error: unknown) => error as Error
  )
