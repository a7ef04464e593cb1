import type { Spelling } from "./wire_form.ts"

interface BooleanTexts {
  readonly values: ReadonlyMap<string, boolean>
  /** Describes the texts, for error messages. */
  readonly rule: string
}

const lenient = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const)
])

/** The texts of a boolean by spelling. The lenient ones are those of `strconv.ParseBool` of Go. */
export const booleanTexts: { readonly [S in Spelling]: BooleanTexts } = {
  canonical: { values: new Map([["true", true], ["false", false]]), rule: "true or false" },
  lenient: { values: lenient, rule: `one of ${[...lenient.keys()].join(", ")}` }
}
