import { inspect } from "node:util"
import type { Value } from "./_library.ts"

/** The result of one check. */
export interface Outcome {
  /** The function of the library. */
  readonly call: string
  /** What is checked: a statement. */
  readonly fact: string
  /** Why the check failed; null if it passed. */
  readonly failure: string | null
}

/** The checks of one version of the library. A check that fails does not stop the next ones. */
export class Checks {
  readonly outcomes: Array<Outcome> = []

  async run(call: string, fact: string, check: () => unknown): Promise<void> {
    let failure: string | null = null
    try {
      await check()
    } catch (error) {
      failure = describeError(error)
    }
    this.outcomes.push({ call, fact, failure })
  }
}

/** An error of the HTTP client of the library. */
interface HttpError {
  readonly message?: string
  readonly config?: { readonly url?: string; readonly method?: string; readonly params?: object }
  readonly response?: { readonly status: number; readonly data: unknown }
}

const describeError = (error: unknown): string => {
  const { config, message, response } = error as HttpError
  if (response === undefined || config === undefined) return message ?? inspect(error)
  const { method, params = {}, url } = config
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null)
  const query = given.map(([name, value]) => `${name}=${value}`).join("&")
  const { code, message: refusal } = response.data as Value
  return `${method} ${url}${query && "?"}${query}: ${response.status}, code ${code}: ${refusal}`
}

/** Returns status and body of the refusal of a request; throws if the request succeeds. */
export const refusalOf = async (request: Promise<unknown>): Promise<Value> => {
  const answer = await request.catch((error: HttpError) => {
    if (error.response === undefined) throw error
    const { data, status } = error.response
    return { refused: { ...data as Value, status } }
  }) as { readonly refused?: Value }
  if (answer?.refused === undefined) throw new Error(`Expected a refusal, got ${inspect(answer)}`)
  return answer.refused
}

/** A rule for a value that cannot be computed from the other answers. */
export interface Rule {
  readonly rule: string
  readonly holds: (value: unknown) => boolean
}
export const rule = (text: string, holds: Rule["holds"]): Rule => ({ rule: text, holds })
const isRule = (value: unknown): value is Rule =>
  typeof value === "object" && value !== null && "holds" in value

/**
 * Throws unless the answer has every expected field with the expected value, or one that obeys the
 * rule. Further fields are allowed, since the clients ignore them.
 */
export const assertShows = (actual: unknown, expected: unknown): void => {
  const differences = [...differencesOf(actual, expected, "")]
  if (differences.length === 0) return
  const shown = differences.slice(0, 8).join("; ")
  throw new Error(
    differences.length > 8 ? `${shown}; and ${differences.length - 8} more` : shown
  )
}

function* differencesOf(actual: unknown, expected: unknown, path: string): Iterable<string> {
  const text = (value: unknown) => inspect(value, { depth: 1, breakLength: Infinity })
  if (isRule(expected)) {
    if (!expected.holds(actual)) yield `${path}: expected ${expected.rule}, got ${text(actual)}`
  } else if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) {
      yield `${path}: expected ${expected.length} items, got ${text(actual)}`
    } else {for (const [i, item] of expected.entries()) {
        yield* differencesOf(actual[i], item, `${path}/${i}`)
      }}
  } else if (typeof expected === "object" && expected !== null) {
    if (typeof actual !== "object" || actual === null) {
      yield `${path}: expected an object, got ${text(actual)}`
      return
    }
    for (const [name, value] of Object.entries(expected)) {
      if (!(name in actual)) yield `${path}/${name} is missing`
      else yield* differencesOf((actual as Value)[name], value, `${path}/${name}`)
    }
  } else if (!Object.is(actual, expected)) {
    yield `${path}: expected ${text(expected)}, got ${text(actual)}`
  }
}
