import { Effect, type Scope } from "effect"
import type { RequestRecord } from "../http/mod.ts"
import { type LogTarget, LogWriter } from "./_log_writer.ts"

/** Options of `openRequestLog`. */
export interface RequestLogOptions {
  /** `text` for people, `json` for one JSON object a line. */
  readonly format: "text" | "json"
  /** The target of the log; `process.stdout` by default. */
  readonly to?: LogTarget
  /** Whether other processes write to the same pipe; false by default. */
  readonly isShared?: boolean
}

/**
 * How long records are collected before they are written together: a write costs as much as a small
 * answer.
 */
const batchMs = 50
const batchMax = 64
/** Maximum characters of a write to a shared pipe: PIPE_BUF, up to which a write is atomic. */
const sharedMax = 4096

/**
 * Opens a log with one line for each request, until the scope closes. Returns the function for
 * `telemetry.log`. Records are written at most 50 ms later. Waiting records are written when the
 * scope closes and when the process exits; they are lost if the process is killed. If the target is
 * too slow, lines are dropped, and a line reports how many.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { openRequestLog } from "rollup-node-api/admin"
 * import { openNode } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 * import { Writable } from "node:stream"
 *
 * const lines: Array<string> = []
 * const to = new Writable({ write: (chunk, _, done) => done(void lines.push(String(chunk))) })
 * const program = Effect.gen(function*() {
 *   const log = yield* openRequestLog({ format: "json", to })
 *   const { genesis } = simulate({ seed: 1 })
 *   const node = yield* Effect.promise(() => openNode({ genesis, telemetry: { log } }))
 *   yield* Effect.promise(() => node.fetch(new Request("http://node/tokens")))
 * })
 * await Effect.runPromise(Effect.scoped(program))
 * console.log(lines.length, JSON.parse(lines[0]!).operation) // => 1 getTokens
 * ```
 */
export const openRequestLog = (
  { format, isShared = false, to = process.stdout }: RequestLogOptions
): Effect.Effect<(record: RequestRecord) => void, never, Scope.Scope> => {
  const lineOf = format === "json" ? jsonLine : textLine
  const writer = new LogWriter({
    to,
    droppedLine: (lines) => `${droppedLines[format](lines, timeOf(Date.now()))}\n`
  })
  const textMax = isShared ? sharedMax : Infinity
  let records: Array<RequestRecord> = []
  let times: Array<number> = []
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    let [text, lines] = ["", 0]
    for (const [i, record] of records.entries()) {
      const line = `${lineOf(record, timeOf(times[i]!))}\n`
      if (lines > 0 && text.length + line.length > textMax) {
        writer.write(text, lines)
        text = ""
        lines = 0
      }
      text += line
      lines++
    }
    records = []
    times = []
    if (lines > 0) writer.write(text, lines)
  }
  const flushBatch = () => {
    timer = undefined
    flush()
  }
  const onExit = () => {
    flush()
    writer.writeAll()
  }
  return Effect.acquireRelease(
    Effect.sync(() => {
      process.on("exit", onExit)
      return (record: RequestRecord) => {
        times.push(Date.now())
        if (records.push(record) >= batchMax) flush()
        timer ??= setTimeout(flushBatch, batchMs)
      }
    }),
    () =>
      Effect.suspend(() => {
        process.off("exit", onExit)
        clearTimeout(timer)
        flush()
        return writer.end
      })
  )
}

let last = { ms: 0, text: "" }
/** Returns a time in ISO 8601. Caches the last one, since many lines have the same millisecond. */
const timeOf = (ms: number): string =>
  (last.ms === ms ? last : last = { ms, text: new Date(ms).toISOString() }).text

/** Maximum characters of a URL in a line. */
const urlMax = 2000

/**
 * Returns a record as JSON. It begins with the members of every log line of the program. The JSON
 * is concatenated, which is faster than `JSON.stringify`.
 */
const jsonLine = (
  { bytes, client, durationMs, id, method, operation, problem, revision, status, traceId, url }:
    RequestRecord,
  at: string
): string =>
  `{"timestamp":"${at}","level":"${levelOf(status)}","message":"Request","id":"${id}","method":${
    quoted(method)
  },"url":${quoted(url.slice(0, urlMax))},`
  + `"operation":"${operation}","revision":"${revision}","status":${status},"durationMs":${
    Math.round(durationMs * 1000) / 1000
  },"bytes":${bytes}`
  + `${problem === undefined ? "" : `,"problem":"${problem}"`}${
    client === undefined ? "" : `,"client":${quoted(client)}`
  }${traceId === undefined ? "" : `,"traceId":"${traceId}"`}}`

/** Returns a string as JSON in ASCII, which Node writes faster. */
const quoted = (text: string): string =>
  plain.test(text) ? `"${text}"` : JSON.stringify(text).replaceAll(/[^\x20-\x7e]/gu, escaped)
const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/u
/** Escapes the UTF-16 code units of a character. */
const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`
  ).join("")

const textLine = (
  { bytes, client = "-", durationMs, id, method, operation, problem, status, url }: RequestRecord,
  at: string
): string =>
  `[${clockOf(at)}] ${levelOf(status)} ${status} ${method} ${visible(url.slice(0, urlMax))} ${
    durationMs.toFixed(2)
  } ms ${bytes} B `
  + `${operation}${problem === undefined ? "" : ` ${problem}`} ${client} ${id}`

let lastClock = { at: "", text: "" }
/** Returns the local time of day, as in the other log lines. */
const clockOf = (at: string): string =>
  (lastClock.at === at
    ? lastClock
    : lastClock = { at, text: new Date(at).toTimeString().slice(0, 8) + at.slice(19, 23) }).text

const droppedMessage = (lines: number) =>
  `Lines of ${lines} requests were dropped: the reader of the log is too slow`
const droppedLines = {
  json: (lines: number, at: string) =>
    `{"timestamp":"${at}","level":"WARN","message":"${droppedMessage(lines)}"}`,
  text: (lines: number, at: string) => `[${clockOf(at)}] WARN ${droppedMessage(lines)}`
}

const levelOf = (status: number): string =>
  status >= 500 && status !== 503 ? "ERROR" : status === 503 ? "WARN" : "INFO"

/** Escapes control characters, with which a client could move the cursor of a terminal. */
const visible = (text: string): string =>
  text.replaceAll(
    /[^\x21-\x7e]/gu,
    (character) => encodeURIComponent(character.isWellFormed() ? character : "\ufffd")
  )
