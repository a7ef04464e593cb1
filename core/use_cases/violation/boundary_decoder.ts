import { Result, Schema, SchemaIssue } from "effect"
import { type BlockViolation, violation } from "./block_violation.ts"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Returns a decoder that validates values of the host like lines of a feed: types alone would
 * accept an address with upper-case digits, which equals no stored one, and unknown members. The
 * decoder returns a copy that the host can no longer change.
 */
export function boundaryDecoder<A, I>(
  schema: Schema.Codec<A, I>
): (input: unknown, prefix?: string) => Result.Result<A, BlockViolation> {
  const copy = Schema.decodeUnknownResult(Schema.toType(schema))
  const decode = Schema.decodeUnknownResult(Schema.toType(schema), { onExcessProperty: "error" })
  return (input, prefix = "") => {
    // a copy without a check for unknown members, and a comparison of both, are faster than a copy
    // with it
    const copied = copy(input)
    if (Result.isSuccess(copied) && isWhole(input, copied.success)) {
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
function isWhole(input: unknown, copy: unknown): boolean {
  if (typeof input !== "object" || input === null) return true
  if (Array.isArray(input)) {
    for (let at = 0; at < input.length; at++) {
      if (
        typeof input[at] === "object" && !isWhole(input[at], (copy as ReadonlyArray<unknown>)[at])
      ) return false
    }
    return true
  }
  for (const key in input) {
    if (!Object.hasOwn(copy as Members, key)) return false
    const inside = (input as Members)[key]
    if (typeof inside === "object" && !isWhole(inside, (copy as Members)[key])) return false
  }
  return Object.getOwnPropertySymbols(input).length === 0
}

interface Members {
  readonly [name: string]: unknown
}

/** Returns the violation for a value that does not have the shape of the feed. */
export const invalidShape = (value: unknown, expected: string, place: string): BlockViolation =>
  violation("shape", textOf(value), expected, place)

const ruleOf = (message: string | undefined): string => {
  if (message === undefined) return "the shape of a feed record"
  return message.includes("excess property")
    ? "no such member, since the feed defines none of this name"
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
