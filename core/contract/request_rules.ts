import type { ListName } from "./lists/mod.ts"
import type { Spelling } from "./scalars/mod.ts"

/** How a revision reads requests: what it refuses, and what it tolerates. */
export interface RequestRules {
  /** Parameters that an operation does not have. */
  readonly unknownParameters: "refused" | "ignored"
  /** Lists that refuse unknown parameters even if the revision ignores them elsewhere. */
  readonly closedLists: ReadonlyArray<ListName>
  /** The later occurrences of a parameter that occurs more than once. */
  readonly repeatedParameters: "refused" | "ignored"
  /** A parameter of a list without a value, such as `limit=`. */
  readonly emptyParameters: "refused" | "absent"
  /** Properties that a request body does not have. */
  readonly unknownProperties: "refused" | "ignored"
  /** The spellings of numbers and booleans in paths, queries and bodies. */
  readonly spelling: Spelling
  /** The characters that separate the values of a list in a parameter. */
  readonly separators: ReadonlyArray<string>
}

/** Refuses every request that a client may have meant otherwise. */
export const strictRules: RequestRules = {
  unknownParameters: "refused",
  closedLists: [],
  repeatedParameters: "refused",
  emptyParameters: "refused",
  unknownProperties: "refused",
  spelling: "canonical",
  separators: [","]
}

/**
 * Reads requests as the original server of the published clients does, which was written in Go with
 * the framework gin. Like there, a number has no sign.
 */
export const publishedRules: RequestRules = {
  unknownParameters: "ignored",
  closedLists: ["accounts"],
  repeatedParameters: "ignored",
  // the Flutter client sends `slotNum=` for no slot
  emptyParameters: "absent",
  unknownProperties: "ignored",
  spelling: "lenient",
  separators: [",", "|"]
}
