import { Arbitrary, Effect } from "effect"
import { type LawViolation, violated } from "./law.ts"

export interface RunOptions {
  readonly seed: string | number
  readonly runs: number
}

/**
 * Checks a property with `runs` generated inputs; fails with the violation of the smallest failing
 * input.
 */
export const forAll = <A>(
  inputs: Arbitrary.Arbitrary<A>,
  { runs, seed }: RunOptions,
  property: (input: A) => Effect.Effect<void, LawViolation>
): Effect.Effect<void, LawViolation> =>
  Effect.flatMap(
    Arbitrary.checkEffect(inputs, (input) => Effect.as(property(input), true), {
      seed,
      runs,
      maxShrinks: 200
    }),
    (result) => {
      if (result._tag === "Passed") return Effect.void
      if (result._tag === "Falsified" && result.failure._tag === "PropertyError") {
        return Effect.fail(result.failure.error)
      }
      return violated(Arbitrary.formatCheckFailure(result) ?? result._tag)
    }
  )

/** Returns `count` values that depend only on the seed, for laws that replay a feed only once. */
export const sample = <A>(
  values: Arbitrary.Arbitrary<A>,
  count: number,
  seed: string | number
): Effect.Effect<ReadonlyArray<A>> => Effect.orDie(Arbitrary.sampleEffect(values, { count, seed }))
