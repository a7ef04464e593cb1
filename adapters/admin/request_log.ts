import { Effect, type Scope } from "effect"
import type { RequestRecord } from "../http/mod.ts"

export interface RequestLogOptions {
  /** Lines to read, or a JSON object on each line. */
  readonly format: "text" | "json"
  /** The standard output by default. */
  readonly write?: (lines: string) => void
}

/** How long a line may wait for others, which are written with it: a write of its own costs as much as a small answer. */
const waitMs = 50
/** Characters that are written at once at most: what several processes write into one pipe stays whole up to here. */
const waitingMax = 4096

/** One line for each request, until the scope closes; then what waits is written. */
export const openRequestLog = (
  { format, write = (lines) => void process.stdout.write(lines) }: RequestLogOptions
): Effect.Effect<(record: RequestRecord) => void, never, Scope.Scope> => {
  const lineOf = format === "json" ? jsonLine : textLine
  let waiting = ""
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const lines = waiting
    waiting = ""
    if (lines !== "") write(lines)
  }
  return Effect.acquireRelease(
    Effect.succeed((record: RequestRecord) => {
      const line = `${lineOf(record, timeOf(Date.now()))}\n`
      if (waiting.length + line.length > waitingMax) flush()
      waiting += line
      timer ??= setTimeout(flush, waitMs)
    }),
    () => Effect.sync(flush)
  )
}

let last = { ms: 0, text: "" }
/** ISO 8601; many lines fall into one millisecond. */
const timeOf = (ms: number): string => (last.ms === ms ? last : last = { ms, text: new Date(ms).toISOString() }).text

/** Characters of a URL that a line holds. */
const urlMax = 2000

/** The members that every line of the log has come first, by the same names. Put together by hand, since each request pays for it. */
const jsonLine = ({ bytes, client, durationMs, id, method, operation, problem, revision, status, traceId, url }: RequestRecord, at: string): string =>
  `{"timestamp":"${at}","level":"${levelOf(status)}","message":"Request","id":"${id}","method":${JSON.stringify(method)},"url":${JSON.stringify(url.slice(0, urlMax))},`
  + `"operation":"${operation}","revision":"${revision}","status":${status},"durationMs":${Math.round(durationMs * 1000) / 1000},"bytes":${bytes}`
  + `${problem === undefined ? "" : `,"problem":"${problem}"`}${client === undefined ? "" : `,"client":${JSON.stringify(client)}`}${traceId === undefined ? "" : `,"traceId":"${traceId}"`}}`

const textLine = ({ bytes, client = "-", durationMs, id, method, operation, problem, status, url }: RequestRecord, at: string): string =>
  `[${clockOf(at)}] ${levelOf(status)} ${status} ${method} ${visible(url.slice(0, urlMax))} ${durationMs.toFixed(2)} ms ${bytes} B `
  + `${operation}${problem === undefined ? "" : ` ${problem}`} ${client} ${id}`

/** The time of the day here, as the other lines have it. */
const clockOf = (at: string): string => new Date(at).toTimeString().slice(0, 8) + at.slice(19, 23)

const levelOf = (status: number): string => status >= 500 && status !== 503 ? "ERROR" : status === 503 ? "WARN" : "INFO"

/** What a client sends must not move the cursor of a terminal. */
const visible = (text: string): string => text.replaceAll(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character.isWellFormed() ? character : "\ufffd"))
