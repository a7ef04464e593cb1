import { assert } from "@effect/vitest"
import { Result } from "effect"
import { EncodingError } from "../../core/encoding/mod.ts"

/** Asserts success with the value. */
export function accepts<A>(result: Result.Result<A, EncodingError>, value: A): void {
  assert.deepStrictEqual(result, Result.succeed(value))
}

/** Asserts a failure that contains the value and what was expected. */
export function refuses<A>(result: Result.Result<A, EncodingError>, value: string): void {
  assert.isTrue(Result.isFailure(result), `accepted ${JSON.stringify(value)}`)
  if (Result.isSuccess(result)) return
  assert.instanceOf(result.failure, EncodingError)
  assert.strictEqual(result.failure.value, value)
  assert.isAbove(result.failure.rule.length, 0)
}
