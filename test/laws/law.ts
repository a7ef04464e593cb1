import { Effect, Schema } from "effect"

/** A law does not hold: what was expected, what was found, and for which input. */
export class LawViolation
  extends Schema.TaggedError<LawViolation>()("LawViolation", { message: Schema.String })
{}

/** A sentence that is true of every correct subject, and how to try it on one. */
export interface Law<Subject> {
  readonly name: string
  readonly run: (subject: Subject) => Effect.Effect<void, LawViolation>
}

export const violated = (message: string): Effect.Effect<never, LawViolation> =>
  Effect.fail(new LawViolation({ message }))

/** Fails with the sentence unless the condition holds; the sentence is only made when it is needed. */
export const holds = (
  condition: boolean,
  message: () => string
): Effect.Effect<void, LawViolation> => condition ? Effect.void : violated(message())

/** Fails where two values differ, naming the first place. */
export const same = (
  found: unknown,
  expected: unknown,
  subject: () => string
): Effect.Effect<void, LawViolation> => {
  const at = difference(found, expected)
  return at === undefined ? Effect.void : violated(`${subject()}: ${at}`)
}

/**
 * The first place in which two plain values differ, or undefined. Numbers that were computed in another order of additions may differ in
 * their last digits: `tolerance` says by which share, of small ones by which amount.
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

/** Whether values are surely the same; what is left to do is to name the place. */
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

/** A value on one line, with the digits of its big integers. */
export const show = (value: unknown): string => {
  const text =
    JSON.stringify(value, (_, inner) => typeof inner === "bigint" ? `${inner}n` : inner) ??
      String(value)
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text
}

const shownMax = 600

/** Objects and arrays alike. */
const isTree = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null
