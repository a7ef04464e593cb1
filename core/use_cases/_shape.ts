import { Result, Schema, SchemaIssue } from "effect"
import { type BlockViolation, violation } from "./block_violation.ts"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Reads values that a host hands over in memory, held to what a feed line would have been held to: types alone would let an address
 * with upper-case digits through, which then equals no stored one, and members that nobody knows. What it returns is a copy, which the
 * host can no longer change.
 */
export function shapeOf<A, I>(schema: Schema.Codec<A, I>): (given: unknown, prefix?: string) => Result.Result<A, BlockViolation> {
  const decode = Schema.decodeUnknownResult(Schema.toType(schema), { onExcessProperty: "error" })
  return (given, prefix = "") => Result.mapError(decode(given), ({ issue }) => {
    const [first] = issuesOf(issue).issues
    const path = (first?.path ?? []).map((segment) => typeof segment === "object" ? segment.key : segment)
    return misshapen(valueAt(given, path), ruleOf(first?.message), prefix + path.map((key) => `/${String(key)}`).join(""))
  })
}

/** What is not of the shape that a feed defines. */
export const misshapen = (value: unknown, expected: string, place: string): BlockViolation => violation("shape", textOf(value), expected, place)

const ruleOf = (message: string | undefined): string => {
  if (message === undefined) return "the shape of a feed record"
  return message.includes("excess property") ? "no such member, since the feed defines none of this name" : message.replace(/^Expected /u, "")
}

const valueAt = (given: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((part, key) => typeof part === "object" && part !== null ? Reflect.get(part, key) : undefined, given)

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? Array.isArray(value) ? `${value.length} entries` : "object" : String(value)
