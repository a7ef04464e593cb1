import { Schema } from "effect"

/**
 * One rule that one input breaks: its place, the value, the rule, and a sentence for a person.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { checkItemKey, type InputFault } from "rollup-node-api"
 *
 * const checked = checkItemKey("account", -1)
 * const fault: InputFault | null = Result.isFailure(checked) ? checked.failure.faults[0] : null
 * console.log(fault?.message)
 * // => account has the invalid value -1: expected an integer from 0 to 281474976710655
 * ```
 */
export const InputFault = Schema.Struct({
  in: Schema.Literals(["path", "query", "header", "body"]),
  /** Name of the parameter, or JSON pointer into the body. */
  parameter: Schema.String,
  /** The value in the request; null if it is missing. */
  value: Schema.NullOr(Schema.String),
  rule: Schema.String,
  /** Name of the rule, if a revision has an error code for it; not for clients. */
  ruleName: Schema.optionalKey(
    Schema.Literals([
      "feeTooLow",
      "feeTooBig",
      "accountOfToken",
      "replacedSender",
      "replaceable",
      "requestWithoutGroup",
      "notAtomic",
      "singleTransaction",
      "requestOffset",
      "groupId",
      "requestOutsideGroup"
    ])
  ),
  message: Schema.String,
  /** The known name that is most similar to an unknown one. */
  nearest: Schema.optionalKey(Schema.String),
  /** The limit that was exceeded, if the rule is a limit; for metrics, not for clients. */
  limit: Schema.optionalKey(Schema.String)
})
export type InputFault = typeof InputFault.Type

/**
 * The request breaks rules of the contract. Lists all of them, not only the first.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { checkListQuery } from "rollup-node-api"
 *
 * const checked = checkListQuery("tokens", { filters: {}, fromItem: -1, limit: 0 })
 * if (Result.isFailure(checked)) {
 *   const { _tag, faults } = checked.failure
 *   console.log(_tag, ...faults.map(({ parameter }) => parameter)) // => BadInput fromItem limit
 * }
 * ```
 */
export class BadInput
  extends Schema.TaggedError<BadInput>()("BadInput", { faults: Schema.NonEmptyArray(InputFault) })
{
  override get message(): string {
    return messageOfAll(this.faults)
  }
}

/** Returns the message of an error with several violations. */
export const messageOfAll = (violations: ReadonlyArray<{ readonly message: string }>): string => {
  const count = violations.length === 1 ? "" : `${violations.length} violations: `
  return count + violations.map(({ message }) => message).join("; ")
}

/** Maximum number of characters of a value that an error message repeats. */
const shownMax = 200
/** Returns a value as an error message repeats it. */
export const cut = (value: string) =>
  value.length > shownMax ? `${value.slice(0, shownMax)}…` : value
const shown = (value: string) => JSON.stringify(cut(value))

/** Returns the fault of a value that breaks the rule of its parameter. */
export const invalidValue = (
  where: "path" | "query",
  parameter: string,
  value: string,
  rule: string
): InputFault => ({
  in: where,
  parameter,
  value: cut(value),
  rule,
  message: `Parameter ${parameter} has the invalid value ${shown(value)}: expected ${rule}`
})

export const brokenRule = (
  parameter: string,
  value: string | null,
  rule: string,
  message: string
): InputFault => ({
  in: "query",
  parameter: cut(parameter),
  value: value === null ? null : cut(value),
  rule,
  message
})

/** @param property of the posted object, or null for the whole of it */
export const brokenBody = (
  property: string | null,
  value: string | null,
  rule: string,
  message: string
): InputFault => ({
  in: "body",
  parameter: property === null ? "" : jsonPointer(cut(property)),
  value: value === null ? null : cut(value),
  rule,
  message
})

/** Returns the fault of an item of a list of the body, whose pointer was relative to the item. */
export const faultOfItem = (list: string, position: number, fault: InputFault): InputFault => ({
  ...fault,
  parameter: `${jsonPointer(list)}/${position}${fault.parameter}`,
  message: `Item ${position} of ${list}: ${fault.message}`
})

/** Returns the JSON pointer (RFC 6901) to a member of the body. */
export const jsonPointer = (name: string): string =>
  `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`

/**
 * Returns the candidate with the smallest edit distance, or undefined if none is similar enough to
 * help.
 *
 * @param distanceMax - maximum edit distance; a third of the name by default, at least 2
 *
 * @example
 * ```ts
 * import { nearestName } from "rollup-node-api"
 *
 * console.log(nearestName("tokenID", ["tokenId", "batchNum"])) // => tokenId
 * console.log(nearestName("price", ["tokenId", "batchNum"])) // => undefined
 * ```
 */
export const nearestName = (
  name: string,
  candidates: Iterable<string>,
  distanceMax = Math.max(2, Math.floor(name.length / 3))
): string | undefined => {
  let best: string | undefined
  let least = distanceMax + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= least) continue
    const needed = distance(name.toLowerCase(), candidate.toLowerCase())
    if (needed < least) [best, least] = [candidate, needed]
  }
  return best
}

/** Returns the hint of a message about an unknown name, and the most similar known one if it helps. */
export const hintOf = (
  name: string,
  known: ReadonlyArray<string>
): { readonly hint: string; readonly nearest?: string } => {
  const nearest = nearestName(name, known)
  return nearest === undefined
    ? { hint: `the known ones are ${known.join(", ")}` }
    : { hint: `did you mean ${nearest}?`, nearest }
}

/** Returns the Levenshtein distance, computed row by row. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(
        Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
      )
    }
    row = next
  }
  return row[b.length]!
}
