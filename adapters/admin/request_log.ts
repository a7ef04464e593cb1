import { Effect, type Scope } from "effect"
import type { Writable } from "node:stream"
import { styleText } from "node:util"
import type { RequestRecord } from "../http/mod.ts"

/** A stream for the lines of a log, such as `process.stdout`. */
export type LogTarget = Pick<Writable, "write">

/** Maximum number of waiting characters, some seconds of a busy server; then lines are dropped. */
export const charactersMax = 8 * 2 ** 20
/** Maximum wait for a slow target when the log closes. */
const closeMs = 1000

/**
 * Writes texts one at a time, so that texts of up to PIPE_BUF bytes do not mix in a pipe that
 * several processes write to. No request waits for the target: if it falls behind by
 * `charactersMax`, lines are dropped and counted. An error of the target ends the process.
 *
 * sonic-boom 5 does not fit: it writes in threads, which is slower and blocks the exit if the
 * target has stopped reading, and it polls a full pipe.
 */
class LogWriter {
  readonly #to: LogTarget
  readonly #droppedLine: (lines: number) => string
  #queue: Array<string> = []
  #characters = 0
  #dropped = 0
  #isWriting = false
  #idle: (() => void) | undefined

  /** @param droppedLine returns the line that reports how many lines were dropped */
  constructor(to: LogTarget, droppedLine: (lines: number) => string) {
    this.#to = to
    this.#droppedLine = droppedLine
  }

  /**
   * @param text ASCII
   * @param lines number of lines in the text
   */
  write(text: string, lines: number): void {
    if (!this.#isWriting) return this.#send(text)
    if (this.#characters + text.length > charactersMax) {
      this.#dropped += lines
      return
    }
    this.#characters += text.length
    this.#queue.push(text)
  }

  /** Passes all waiting texts to the target at once. Call it if the process is about to exit. */
  writeAll(): void {
    const queue = this.#queue
    this.#queue = []
    this.#characters = 0
    for (const text of queue) this.#to.write(text, "latin1")
  }

  /** Waits until the target has accepted all texts, but at most `closeMs`. */
  readonly end: Effect.Effect<void> = Effect.callback<void>((resume) => {
    if (!this.#isWriting) return resume(Effect.void)
    const timer = setTimeout(() => resume(Effect.void), closeMs)
    this.#idle = () => {
      clearTimeout(timer)
      resume(Effect.void)
    }
  })

  #send(text: string): void {
    this.#isWriting = true
    this.#to.write(text, "latin1", this.#written)
  }

  readonly #written = (): void => {
    const text = this.#queue.shift()
    if (text !== undefined) {
      this.#characters -= text.length
      return this.#send(text)
    }
    if (this.#dropped > 0) {
      const line = this.#droppedLine(this.#dropped)
      this.#dropped = 0
      return this.#send(line)
    }
    this.#isWriting = false
    this.#idle?.()
  }
}

/** Options of `openRequestLog`. */
export interface RequestLogOptions {
  /** `text` for people, `json` for one JSON object a line. */
  readonly format: "text" | "json"
  /** The target of the log; `process.stdout` by default. */
  readonly to?: LogTarget
  /** Whether to colour the level of a line of text; false by default. */
  readonly colors?: boolean
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
  { colors = false, format, isShared = false, to = process.stdout }: RequestLogOptions
): Effect.Effect<(record: RequestRecord) => void, never, Scope.Scope> => {
  const lineOf = format === "json" ? jsonLine : colors ? colouredLine : textLine
  const writer = new LogWriter(
    to,
    (lines) => `${droppedLines[format](lines, timeOf(Date.now()))}\n`
  )
  const textMax = isShared ? sharedMax : Infinity
  let records: Array<{ readonly record: RequestRecord; readonly ms: number }> = []
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    let [text, lines] = ["", 0]
    for (const { ms, record } of records) {
      const line = `${lineOf(record, timeOf(ms))}\n`
      if (lines > 0 && text.length + line.length > textMax) {
        writer.write(text, lines)
        text = ""
        lines = 0
      }
      text += line
      lines++
    }
    records = []
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
        if (records.push({ record, ms: Date.now() }) >= batchMax) flush()
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
  plain.test(text) ? `"${text}"` : JSON.stringify(text).replaceAll(
    // without the flag `u` it matches each code unit of a character
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/u

const textLine = (
  { bytes, client = "-", durationMs, id, method, operation, problem, status, url }: RequestRecord,
  at: string
): string =>
  `[${clockOf(at)}] ${levelOf(status)} ${status} ${method} ${visible(url.slice(0, urlMax))} ${
    durationMs.toFixed(2)
  } ms ${bytes} B `
  + `${operation}${problem === undefined ? "" : ` ${problem}`} ${client} ${id}`

/** Returns the line of text with its level in colour. */
const colouredLine = (record: RequestRecord, at: string): string => {
  const level = levelOf(record.status)
  const colour = level === "ERROR" ? "red" : level === "WARN" ? "yellow" : "green"
  // the caller decides whether the target shows colours
  return textLine(record, at).replace(level, styleText(colour, level, { validateStream: false }))
}

let lastClock = { at: "", text: "" }
/** Returns the local time of day, as in the other log lines. */
const clockOf = (at: string): string =>
  (lastClock.at === at
    ? lastClock
    : lastClock = { at, text: new Date(at).toTimeString().slice(0, 8) + at.slice(19, 23) }).text

const droppedMessage = (lines: number) =>
  `Lines of ${lines} requests were dropped: the log is read too slowly`
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
