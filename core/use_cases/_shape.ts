import { Result, Schema, SchemaIssue } from "effect"
import { type BlockViolation, violation } from "./block_violation.ts"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Checks values that a host hands over in memory against what a feed line would have been held to: types alone would let an address
 * with upper-case digits through, which then equals no stored one.
 */
export function shapeOf(schema: Schema.Schema<unknown>): (given: unknown, prefix?: string) => BlockViolation | undefined {
  const decode = Schema.decodeUnknownResult(Schema.toType(schema))
  return (given, prefix = "") => {
    const result = decode(given)
    if (Result.isSuccess(result)) return undefined
    const [issue] = issuesOf(result.failure.issue).issues
    const path = (issue?.path ?? []).map((segment) => typeof segment === "object" ? segment.key : segment)
    const rule = issue?.message.replace(/^Expected /u, "") ?? "the shape of a feed record"
    return violation("shape", textOf(valueAt(given, path)), rule, prefix + path.map((key) => `/${String(key)}`).join(""))
  }
}

const valueAt = (given: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((part, key) => typeof part === "object" && part !== null ? Reflect.get(part, key) : undefined, given)

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? Array.isArray(value) ? `${value.length} entries` : "object" : String(value)
