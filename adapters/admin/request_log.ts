import { Effect, type Scope } from "effect"
import type { RequestRecord } from "../http/mod.ts"
import { type LogTarget, LogWriter } from "./_log_writer.ts"

export interface RequestLogOptions {
  /** Lines to read, or a JSON object on each line. */
  readonly format: "text" | "json"
  /** The standard output by default. */
  readonly to?: LogTarget
  /** Whether other processes write there too. */
  readonly isShared?: boolean
}

/** How long a record may wait for others, with which it is written: a write of its own costs as much as a small answer, and so do the lines, unless they are made many at once. */
const waitMs = 50
const waitingMax = 64
/** Characters that are written at once at most: what several processes write into one pipe stays whole up to here. */
const sharedMax = 4096

/**
 * One line for each request, until the scope closes; then what waits is written. So it is when the process ends by itself, whatever for; one
 * that is killed takes the records of the last 50 ms with it, 64 at most, and what a slow reader has not taken yet.
 */
export const openRequestLog = (
  { format, isShared = false, to = process.stdout }: RequestLogOptions
): Effect.Effect<(record: RequestRecord) => void, never, Scope.Scope> => {
  const lineOf = format === "json" ? jsonLine : textLine
  const writer = new LogWriter({
    to,
    droppedLine: (lines) => `${leftOutLines[format](lines, timeOf(Date.now()))}\n`
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
  const wake = () => {
    timer = undefined
    flush()
  }
  const exit = () => {
    flush()
    writer.writeAll()
  }
  return Effect.acquireRelease(
    Effect.sync(() => {
      process.on("exit", exit)
      return (record: RequestRecord) => {
        times.push(Date.now())
        if (records.push(record) >= waitingMax) flush()
        timer ??= setTimeout(wake, waitMs)
      }
    }),
    () =>
      Effect.suspend(() => {
        process.off("exit", exit)
        clearTimeout(timer)
        flush()
        return writer.end
      })
  )
}

let last = { ms: 0, text: "" }
/** ISO 8601; many lines fall into one millisecond. */
const timeOf = (ms: number): string =>
  (last.ms === ms ? last : last = { ms, text: new Date(ms).toISOString() }).text

/** Characters of a URL that a line holds. */
const urlMax = 2000

/** The members that every line of the log has come first, by the same names. Put together by hand, since each request pays for it. */
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

/** As JSON, in ASCII: such a text is written faster, and reads the same in whatever encoding. */
const quoted = (text: string): string =>
  plain.test(text) ? `"${text}"` : JSON.stringify(text).replaceAll(/[^\x20-\x7e]/gu, escaped)
const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/u
/** Each half of a character that takes two for itself. */
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
/** The time of the day here, as the other lines have it. */
const clockOf = (at: string): string =>
  (lastClock.at === at
    ? lastClock
    : lastClock = { at, text: new Date(at).toTimeString().slice(0, 8) + at.slice(19, 23) }).text

const leftOutMessage = (lines: number) =>
  `Lines of ${lines} requests were left out: whoever reads the log is slower than they come`
const leftOutLines = {
  json: (lines: number, at: string) =>
    `{"timestamp":"${at}","level":"WARN","message":"${leftOutMessage(lines)}"}`,
  text: (lines: number, at: string) => `[${clockOf(at)}] WARN ${leftOutMessage(lines)}`
}

const levelOf = (status: number): string =>
  status >= 500 && status !== 503 ? "ERROR" : status === 503 ? "WARN" : "INFO"

/** What a client sends must not move the cursor of a terminal. */
const visible = (text: string): string =>
  text.replaceAll(
    /[^\x21-\x7e]/gu,
    (character) => encodeURIComponent(character.isWellFormed() ? character : "\ufffd")
  )
