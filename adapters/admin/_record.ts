import { Exit, Result, Schema, SchemaIssue } from "effect"
import type { RecordFault } from "./_reply.ts"

/** Decodes one line of JSON. Returns the record, or all rules that it violates. */
type RecordReader<A> = (
  line: number,
  text: string
) => Result.Result<A, ReadonlyArray<RecordFault>>

const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Maximum number of faults of one line; more are seldom another mistake. */
const faultsMax = 100

/**
 * Returns a reader of records of a schema. Unknown members are faults.
 *
 * @param kinds values of the member `kind`
 */
export const recordReader = <A>(
  schema: Schema.Codec<A, unknown>,
  kinds: ReadonlyArray<string>
): RecordReader<A> => {
  const decode = Schema.decodeUnknownExit(schema, { errors: "all", onExcessProperty: "error" })
  return (line, text) => {
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch (error) {
      return Result.fail([
        fault(line, [], text, "JSON", error instanceof Error ? error.message : String(error))
      ])
    }
    const kind = valueAt(json, ["kind"])
    if (typeof kind !== "string" || !kinds.includes(kind)) {
      return Result.fail([
        fault(
          line,
          typeof json === "object" && json !== null ? ["kind"] : [],
          typeof json === "object" && json !== null ? kind : json,
          `one of ${kinds.join(", ")}`
        )
      ])
    }
    const read = decode(json)
    if (Exit.isSuccess(read)) return Result.succeed(read.value)
    return Result.fail(
      read.cause.reasons.flatMap((reason) =>
        reason._tag !== "Fail" ?
          [] :
          toIssues(reason.error.issue).issues.map(({ message, path = [] }) => {
            const keys = path.map((key) => typeof key === "object" ? key.key : key)
            return fault(line, keys, valueAt(json, keys), rules[message] ?? message)
          })
      ).slice(0, faultsMax)
    )
  }
}

/** Rules for the messages of the schema about missing and unknown members. */
const rules: { readonly [message: string]: string } = {
  "Missing key": "a member of this name",
  "Expected no excess property": "no member of this name"
}

/** Maximum characters of a value in an answer. */
const shownMax = 200

const fault = (
  line: number,
  path: ReadonlyArray<PropertyKey>,
  value: unknown,
  rule: string,
  detail = ""
): RecordFault => {
  const pointer = path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("")
  const text = value === undefined
    ? null
    : typeof value === "string"
    ? value
    : jsonOf(value)
  const shown = text === null ? null : text.length > shownMax ? `${text.slice(0, shownMax)}…` : text
  const expected = rule.startsWith("Expected ") ? rule.slice("Expected ".length) : rule
  return {
    in: "body",
    line,
    parameter: pointer,
    value: shown,
    rule: expected,
    message: `Line ${line}, ${
      pointer === "" ? "the record" : pointer
    }: expected ${expected}, found ${shown === null ? "nothing" : JSON.stringify(shown)}${
      detail === "" ? "" : ` (${detail})`
    }`
  }
}

/** Returns a value as JSON. `JSON.stringify` recurses: deep nesting exhausts its stack. */
const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value)
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
