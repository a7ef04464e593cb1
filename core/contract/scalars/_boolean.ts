import { Result } from "effect"
import { values } from "../../domain/mod.ts"
import { EncodingError } from "../../encoding/mod.ts"
import { scalar } from "./_scalar.ts"
import type { Scalar, Spelling } from "./wire_form.ts"

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

export const boolean: Scalar<boolean> = scalar({
  json: "boolean",
  domain: values.boolean,
  parse: (_, spelling = "canonical") => {
    const { rule, values } = booleanTexts[spelling]
    return (text) => {
      const value = values.get(text)
      return value === undefined
        ? Result.fail(new EncodingError(text, rule))
        : Result.succeed(value)
    }
  }
})
