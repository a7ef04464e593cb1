import type { JsonMember } from "./_json_members.ts"
import { brokenBody, type InputFault, nearestName } from "../fault.ts"

/**
 * Maximum number of unknown properties with a fault of their own: each is compared with all known
 * ones.
 */
const explainedMax = 64

const rule = "a known property"

/**
 * Returns a function that explains unknown properties of a body.
 *
 * @param notes explanations of names that clients may know from elsewhere
 */
export const unknownProperties = (
  known: ReadonlyArray<string>,
  notes: ReadonlyMap<string, string>
) => {
  const names = new Set(known)
  return (members: Iterable<JsonMember>): ReadonlyArray<InputFault> => {
    const faults: Array<InputFault> = []
    let omitted = 0
    for (const { name, text } of members) {
      if (names.has(name)) continue
      if (faults.length < explainedMax) faults.push(explain(name, text, nearestName(name, known)))
      else omitted++
    }
    if (omitted > 0) {
      faults.push(brokenBody(null, null, rule, `${omitted} more properties are unknown`))
    }
    return faults
  }

  function explain(name: string, text: string, nearest: string | undefined): InputFault {
    const note = notes.get(name)
    const hint = note ??
      (nearest === undefined
        ? `the known ones are ${known.join(", ")}`
        : `did you mean ${nearest}?`)
    return {
      ...brokenBody(
        name,
        text,
        rule,
        `Unknown property ${JSON.stringify(name.slice(0, 100))}: ${hint}`
      ),
      ...(note !== undefined || nearest === undefined ? {} : { nearest })
    }
  }
}
