import type { InputFault } from "./input_fault.ts"

/* In a file without schemas, which the wallet in a browser imports. */

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
