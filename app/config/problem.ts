import { nearestName } from "../../core/mod.ts"
import type { Option } from "./setting.ts"
import { plainText, type TextFormat } from "./terminal.ts"

/** An invalid value or unknown name. */
export interface Problem {
  /** Its origin: a flag, a variable, or a line of the file. */
  readonly source: string
  /** The value, the expected values, and how to correct it. */
  readonly message: string
}

/** Returns the problem of a value that violates the rule of its option. */
export const brokenValue = (source: string, value: unknown, option: Option<unknown>): Problem => {
  const { default: defaultValue, isSecret, value: { rule } } = option
  const example =
    defaultValue === undefined || typeof defaultValue === "boolean" || /such as|one of/u.test(rule)
      ? ""
      : `, such as ${String(defaultValue)}`
  return {
    source,
    message: `${
      isSecret ? "The value, which is not shown," : quoted(value)
    } is invalid: expected ${rule}${example}`
  }
}

/**
 * Returns the problem of an unknown name. Suggests the nearest known name; if there is none, gives
 * the hint.
 */
export const unknownName = (
  source: string,
  subject: string,
  name: string,
  known: ReadonlyArray<string>,
  hint: string
): Problem => {
  const nearest = nearestName(name, known)
  return {
    source,
    message: `${subject} is unknown: ${nearest === undefined ? hint : `did you mean ${nearest}?`}`
  }
}

/** Formats problems for the user, one per line. */
export const formatProblems = (
  problems: ReadonlyArray<Problem>,
  { style }: Pick<TextFormat, "style"> = plainText
): string => {
  const lines = problems.map(({ message, source }) => `${style("red", source)}: ${message}`)
  return problems.length === 1
    ? lines.join("")
    : [`${problems.length} problems have to be corrected:`, ...lines.map((line) => `  ${line}`)]
      .join("\n")
}

/** Formats a value for a message: quotes a text, and truncates it after 200 characters. */
export const quoted = (value: unknown): string => {
  if (typeof value === "bigint") return String(value)
  const text = value instanceof Date ? value.toISOString() : JSON.stringify(value) ?? String(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
