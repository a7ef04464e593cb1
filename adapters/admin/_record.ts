import type { Readable } from "node:stream"
import { utf8Text } from "../http/mod.ts"
import { Exit, Result, Schema, SchemaIssue } from "effect"
import type { RecordFault } from "./_reply.ts"

export interface LineLimits {
  /** Maximum bytes of a line, without its line feed. */
  readonly lineBytesMax: number
  /** Maximum bytes of the body; unlimited by default. */
  readonly bodyBytesMax?: number
  /** How long a client may pause. */
  readonly idleMs: number
  /** Called when a limit was hit. */
  readonly onHit: (limit: "bytes" | "idleMs") => void
}

/** A line of a body. */
interface Line {
  /** From 1. */
  readonly number: number
  readonly text: string
}

/** The reason why a line cannot be read. */
export class UnreadableLine {
  readonly line: number
  readonly reason: "too-long" | "body-too-large" | "idle" | "encoding" | "disconnected"
  constructor(line: number, reason: UnreadableLine["reason"]) {
    this.line = line
    this.reason = reason
  }
}

/**
 * Returns the lines of a body, except blank ones. It reads more bytes only when the next line is
 * requested, so a client that sends faster than its lines are processed gets backpressure. If it
 * cannot continue, the last value is an `UnreadableLine`.
 */
export async function* readLines(
  body: Pick<Readable, "iterator">,
  { bodyBytesMax = Infinity, idleMs, lineBytesMax }: Omit<LineLimits, "onHit">
): AsyncGenerator<Line | UnreadableLine, void> {
  // the connection stays open for the answer
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  let [number, bytes] = [1, 0]
  let rest: Array<Buffer> = []
  let restBytes = 0
  for (;;) {
    const read = await withTimeout(chunks.next(), idleMs)
    if (read === "idle" || read === "disconnected") {
      return yield new UnreadableLine(number, read)
    }
    const chunk = read.done === true ? Buffer.alloc(0) : read.value
    bytes += chunk.length
    if (bytes > bodyBytesMax) return yield new UnreadableLine(number, "body-too-large")
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      if (restBytes + end - start > lineBytesMax) {
        return yield new UnreadableLine(number, "too-long")
      }
      const line = decodeLine(number, [...rest, chunk.subarray(start, end)])
      rest = []
      restBytes = 0
      start = end + 1
      if (line !== undefined) yield line
      if (line instanceof UnreadableLine) return
      number++
    }
    restBytes += chunk.length - start
    if (restBytes > lineBytesMax) return yield new UnreadableLine(number, "too-long")
    if (chunk.length > start) rest.push(chunk.subarray(start))
    if (read.done !== true) continue
    const last = decodeLine(number, rest)
    if (last !== undefined) yield last
    return
  }
}

const lineFeed = 10

/** Returns undefined for a blank line. */
const decodeLine = (
  number: number,
  parts: ReadonlyArray<Buffer>
): Line | UnreadableLine | undefined => {
  const text = utf8Text(parts.length === 1 ? parts[0]! : Buffer.concat(parts))
  if (text === undefined) return new UnreadableLine(number, "encoding")
  return text.trim() === "" ? undefined : { number, text }
}

const withTimeout = async <A>(
  read: Promise<A>,
  ms: number
): Promise<A | "idle" | "disconnected"> => {
  let timer: NodeJS.Timeout | undefined
  try {
    return await Promise.race([
      read,
      new Promise<"idle">((resolve) => timer = setTimeout(resolve, ms, "idle"))
    ])
  } catch {
    return "disconnected"
  } finally {
    clearTimeout(timer)
  }
}

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
    line,
    pointer,
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
