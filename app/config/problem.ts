import { nearestName } from "../../core/mod.ts"
import type { Option } from "./setting.ts"

/** Something that was said and cannot be meant. */
export interface Problem {
  /** Who said it: a flag, a variable, a line of the file. */
  readonly source: string
  /** The value, what was expected, and what to do. */
  readonly message: string
}

/** A value that breaks the rule of its option. */
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
    } is none: expected ${rule}${example}`
  }
}

/** A name that nobody knows. */
export const unknownName = (
  source: string,
  what: string,
  name: string,
  known: ReadonlyArray<string>,
  otherwise: string
): Problem => {
  const nearest = nearestName(name, known)
  return {
    source,
    message: `${what} is unknown: ${nearest === undefined ? otherwise : `did you mean ${nearest}?`}`
  }
}

/** Problems as their reader sees them, each on a line of its own. */
export const formatProblems = (problems: ReadonlyArray<Problem>): string => {
  const [first] = problems
  if (first !== undefined && problems.length === 1) return `${first.source}: ${first.message}`
  return [
    `${problems.length} things have to be corrected:`,
    ...problems.map(({ message, source }) => `  ${source}: ${message}`)
  ].join("\n")
}

export const quoted = (value: unknown): string => {
  if (typeof value === "bigint") return String(value)
  const text = value instanceof Date ? value.toISOString() : JSON.stringify(value) ?? String(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
