import { Result } from "effect"
import { values } from "../../domain/mod.ts"
import { EncodingError } from "../../encoding/mod.ts"
import { scalar } from "./_scalar.ts"
import type { Scalar } from "./wire_form.ts"

export const text: Scalar<string> = scalar({
  domain: values.text,
  parse: () => Result.succeed,
  isEscaped: true
})
export const filledText: Scalar<string> = scalar({
  domain: values.filledText,
  parse: () => (text) =>
    text === ""
      ? Result.fail(new EncodingError(text, "a text that is not empty"))
      : Result.succeed(text),
  isEscaped: true
})
export const url: Scalar<string> = scalar({
  domain: values.text,
  parse: () => Result.succeed,
  isEscaped: true,
  description: "URL of the coordinator",
  example: "https://coordinator.example"
})
