import { Effect, Schema } from "effect"

/**
 * A law is broken. The message contains the expected value, the actual value and the input.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { LawViolation } from "rollup-node-api/testing"
 *
 * const run = Effect.fail(new LawViolation({ message: "3 items, expected 2" }))
 * const message = Effect.catchTag(run, "LawViolation", ({ message }) => Effect.succeed(message))
 * console.log(await Effect.runPromise(message)) // => 3 items, expected 2
 * ```
 */
export class LawViolation
  extends Schema.TaggedError<LawViolation>()("LawViolation", { message: Schema.String })
{}

/**
 * A property of every correct subject. `name` states it as a sentence; `run` checks it on a subject
 * and fails with a `LawViolation`. A law can be run in any test framework.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { type Law, LawViolation } from "rollup-node-api/testing"
 *
 * const ascending: Law<ReadonlyArray<number>> = {
 *   name: "the numbers ascend",
 *   run: (numbers) =>
 *     numbers.every((number, i) => i === 0 || number > numbers[i - 1]!)
 *       ? Effect.void
 *       : Effect.fail(new LawViolation({ message: `${numbers} do not ascend` }))
 * }
 * const violation = await Effect.runPromise(Effect.flip(ascending.run([1, 3, 2])))
 * console.log(violation.message) // => 1,3,2 do not ascend
 * ```
 */
export interface Law<Subject> {
  readonly name: string
  readonly run: (subject: Subject) => Effect.Effect<void, LawViolation>
}

/** Fails with a `LawViolation`. */
export const violated = (message: string): Effect.Effect<never, LawViolation> =>
  Effect.fail(new LawViolation({ message }))

/** Fails only with violations: every other failure of a service is a defect. */
export const onlyViolations = <A, R>(
  effect: Effect.Effect<A, Error, R>
): Effect.Effect<A, LawViolation, R> =>
  Effect.catch(
    effect,
    (failure) => failure instanceof LawViolation ? Effect.fail(failure) : Effect.die(failure)
  )

/** Fails with the message unless the condition is true. The message is computed only then. */
export const holds = (
  condition: boolean,
  message: () => string
): Effect.Effect<void, LawViolation> => condition ? Effect.void : violated(message())

/** Fails if two values differ, and names the first difference. */
export const same = (
  found: unknown,
  expected: unknown,
  subject: () => string
): Effect.Effect<void, LawViolation> => {
  const at = difference(found, expected)
  return at === undefined ? Effect.void : violated(`${subject()}: ${at}`)
}

/**
 * Describes the first difference between two plain values; undefined if there is none. Two numbers
 * are equal if they differ by at most `tolerance * max(1, |expected|)`: sums that were added in
 * another order differ in their last digits.
 */
export function difference(
  found: unknown,
  expected: unknown,
  { tolerance = 0 }: { readonly tolerance?: number } = {},
  path = ""
): string | undefined {
  if (isTheSame(found, expected)) return undefined
  if (
    typeof found === "number" && typeof expected === "number" &&
    Math.abs(found - expected) <= tolerance * Math.max(1, Math.abs(expected))
  ) {
    return undefined
  }
  if (!isTree(found) || !isTree(expected)) {
    return `${path === "" ? "it" : path} is ${show(found)}, expected ${show(expected)}`
  }
  const keys = new Set([...Object.keys(expected), ...Object.keys(found)])
  for (const key of keys) {
    const at = `${path}/${key}`
    if (!(key in found)) return `${at} is missing, expected ${show(expected[key])}`
    if (!(key in expected)) return `${at} is ${show(found[key])}, expected nothing there`
    const inside = difference(found[key], expected[key], { tolerance }, at)
    if (inside !== undefined) return inside
  }
  return undefined
}

/**
 * Returns whether the values are equal. May return false for equal values; `difference` then
 * decides.
 */
function isTheSame(found: unknown, expected: unknown): boolean {
  if (Object.is(found, expected)) return true
  if (!isTree(found) || !isTree(expected)) return false
  if (Array.isArray(found)) {
    if (!Array.isArray(expected) || found.length !== expected.length) return false
    for (let at = 0; at < found.length; at++) {
      if (found[at] === undefined || !isTheSame(found[at], expected[at])) return false
    }
    return true
  }
  const keys = Object.keys(expected)
  if (Array.isArray(expected) || Object.keys(found).length !== keys.length) return false
  for (const key of keys) {
    if (!Object.hasOwn(found, key) || !isTheSame(found[key], expected[key])) return false
  }
  return true
}

/**
 * Returns the value as one line of JSON with all digits of big integers, shortened to 600
 * characters.
 */
export const show = (value: unknown): string => {
  const text =
    JSON.stringify(value, (_, inner) => typeof inner === "bigint" ? `${inner}n` : inner) ??
      String(value)
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text
}

const shownMax = 600

/** Returns whether the value is an object or an array. */
const isTree = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null
