import { Result, Schema, SchemaIssue } from "effect"
import { type BlockViolation, makeViolation } from "./block_violation.ts"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Returns a decoder that validates a value from the host as strictly as a line of a feed. The type
 * alone would accept unknown members, or an address with upper-case digits, which never equals a
 * stored one. The decoder returns a copy, which the host cannot change.
 */
export function boundaryDecoder<A, I>(
  schema: Schema.Codec<A, I>
): (input: unknown, prefix?: string) => Result.Result<A, BlockViolation> {
  const copy = Schema.decodeUnknownResult(Schema.toType(schema))
  const decode = Schema.decodeUnknownResult(Schema.toType(schema), { onExcessProperty: "error" })
  return (input, prefix = "") => {
    // decoding without `onExcessProperty` and comparing the members is faster than decoding with it
    const copied = copy(input)
    if (Result.isSuccess(copied) && hasAllMembers(input, copied.success)) {
      return Result.succeed(copied.success)
    }
    return Result.mapError(decode(input), ({ issue }) => {
      const [first] = issuesOf(issue).issues
      const path = (first?.path ?? []).map((segment) =>
        typeof segment === "object" ? segment.key : segment
      )
      return invalidShape(
        valueAt(input, path),
        ruleOf(first?.message),
        prefix + path.map((key) => `/${String(key)}`).join("")
      )
    })
  }
}

/** Returns whether the copy has every member of the original, at any depth. */
function hasAllMembers(input: unknown, copy: unknown): boolean {
  if (typeof input !== "object" || input === null) return true
  if (Array.isArray(input)) {
    for (let at = 0; at < input.length; at++) {
      if (
        typeof input[at] === "object" &&
        !hasAllMembers(input[at], (copy as ReadonlyArray<unknown>)[at])
      ) return false
    }
    return true
  }
  for (const key in input) {
    if (!Object.hasOwn(copy as Members, key)) return false
    const inside = (input as Members)[key]
    if (typeof inside === "object" && !hasAllMembers(inside, (copy as Members)[key])) return false
  }
  return Object.getOwnPropertySymbols(input).length === 0
}

interface Members {
  readonly [name: string]: unknown
}

/** Returns the violation for a value that does not have the shape of the feed. */
export const invalidShape = (value: unknown, expected: string, pointer: string): BlockViolation =>
  makeViolation("shape", textOf(value), expected, pointer)

const ruleOf = (message: string | undefined): string => {
  if (message === undefined) return "the shape of a feed record"
  return message.includes("excess property")
    ? "no member of this name"
    : message.replace(/^Expected /u, "")
}

const valueAt = (input: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (part, key) => typeof part === "object" && part !== null ? Reflect.get(part, key) : undefined,
    input
  )

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? Array.isArray(value) ? `${value.length} entries` : "object"
    : String(value)
