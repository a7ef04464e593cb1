import { Result, Schema, SchemaIssue } from "effect"
import { cut, jsonPointer } from "../../core/contract/mod.ts"
import type { RecordFault } from "./_reply.ts"

/** Decodes one line of JSON. Returns the record, or all rules that it violates. */
type RecordReader<A> = (
  line: number,
  text: string
) => Result.Result<A, ReadonlyArray<RecordFault>>

const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Maximum number of faults of one line, and in an answer; more are seldom another mistake. */
export const faultsMax = 100

/**
 * Returns a reader of records of a schema. Unknown members are faults.
 *
 * @param kinds values of the member `kind`
 */
export const recordReader = <A>(
  schema: Schema.Codec<A, unknown>,
  kinds: ReadonlyArray<string>
): RecordReader<A> => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  return (line, text) => {
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch (error) {
      const rule = text.startsWith("\ufeff") ? "JSON without a byte order mark" : "JSON"
      return Result.fail([fault(line, [], text, rule, ` (${(error as SyntaxError).message})`)])
    }
    const kind = valueAt(json, ["kind"])
    if (typeof kind !== "string" || !kinds.includes(kind)) {
      const path = typeof json === "object" && json !== null ? ["kind"] : []
      return Result.fail([fault(line, path, valueAt(json, path), `one of ${kinds.join(", ")}`)])
    }
    return Result.mapError(
      decode(json),
      ({ issue }) =>
        toIssues(issue).issues.slice(0, faultsMax).map(({ message, path = [] }) => {
          const keys = path.map((key) => typeof key === "object" ? key.key : key)
          return fault(line, keys, valueAt(json, keys), rules[message] ?? message)
        })
    )
  }
}

/** Rules for the messages of the schema about missing and unknown members. */
const rules: { readonly [message: string]: string } = {
  "Missing key": "a member of this name",
  "Expected no excess property": "no member of this name"
}

const fault = (
  line: number,
  path: ReadonlyArray<PropertyKey>,
  value: unknown,
  rule: string,
  detail = ""
): RecordFault => {
  const pointer = path.map((key) => jsonPointer(String(key))).join("")
  const text = typeof value === "string" ? value : jsonOf(value)
  const shown = text === undefined ? null : cut(text)
  const expected = rule.replace(/^Expected /u, "")
  const found = shown === null ? "nothing" : JSON.stringify(shown)
  return {
    in: "body",
    line,
    parameter: pointer,
    value: shown,
    rule: expected,
    message: `Line ${line}, ${
      pointer || "the record"
    }: expected ${expected}, found ${found}${detail}`
  }
}

/**
 * Returns a value as JSON, or undefined if there is none. `JSON.stringify` recurses: deep nesting
 * exhausts its stack.
 */
const jsonOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value) as string | undefined
  } catch (error) {
    if (error instanceof RangeError) return "a value that is nested too deeply"
    throw error
  }
}

const valueAt = (json: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    json
  )
