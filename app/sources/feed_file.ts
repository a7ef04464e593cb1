import { Data, Effect, Exit, Result, Schema } from "effect"
import { isUtf8 } from "node:buffer"
import { createReadStream, statSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { jsonMembers } from "../../core/contract/mod.ts"
import { type FeedRecord, type GenesisFeed, readFeedLine } from "../../core/mod.ts"

/** A feed cannot be used. The message names the line and the reason. */
export class FeedFileError
  extends Data.TaggedError("FeedFileError")<{ readonly message: string }>
{}

/** An open feed: its genesis, and its records as they arrive. */
export interface OpenFeed {
  readonly genesis: GenesisFeed
  readonly records: AsyncIterable<FeedRecord>
  /** Returns the share of the file that was read, from 0 to 1; undefined for standard input. */
  readonly share: () => number | undefined
  /** Returns the message with the path and the number of the line that was read last before it. */
  readonly atLine: (message: string) => string
}

/** Opens a feed in NDJSON; `-` reads standard input. Skips blank lines. */
export const feedFrom = (path: string): Effect.Effect<OpenFeed, FeedFileError> =>
  Effect.tryPromise({
    try: () => openFeed(path),
    catch: (error) =>
      error instanceof FeedFileError ? error : new FeedFileError({ message: String(error) })
  })

/**
 * Reads a file with a genesis record: JSON, on one or several lines. Fails if the file contains
 * anything else.
 */
export const genesisFrom = (path: string): Effect.Effect<GenesisFeed, FeedFileError> =>
  Effect.flatMap(
    Effect.tryPromise({
      try: () => readFile(path),
      catch: (error) => unreadable("Genesis", path, error)
    }),
    (bytes) => {
      if (!isUtf8(bytes)) {
        return Effect.fail(new FeedFileError({ message: `Genesis "${path}": expected UTF-8` }))
      }
      const text = bytes.toString()
      const record = readFeedLine(text)
      if (Exit.isSuccess(record) && record.value.kind === "genesis") {
        return Effect.succeed(record.value.genesis)
      }
      const [first = "", ...others] = text.trim().split("\n")
      const isFeed = others.length > 0 && Exit.isSuccess(readFeedLine(first))
      const fault = isFeed
        ? ": expected one genesis record, found several records; use --feed to follow them"
        : Exit.isSuccess(record)
        ? `: expected a genesis record, found a ${record.value.kind} record`
        : syntaxFault(text, "a genesis record") ?? `: ${reason(record)}`
      return Effect.fail(new FeedFileError({ message: `Genesis "${path}"${fault}` }))
    }
  )

/** Returns the line and the reason of the first syntax error of a JSON object, or undefined. */
const syntaxFault = (text: string, record: string, firstLine = 1): string | undefined => {
  const members = jsonMembers(text)
  if (Result.isSuccess(members)) return undefined
  const { expected, position } = members.failure
  const line = firstLine + text.slice(0, position).split("\n").length - 1
  const found = text.slice(position).split("\n", 1)[0]!.slice(0, 40)
  return `, line ${line}: expected ${record} in JSON, here ${expected}, found ${
    found === "" ? "the end" : JSON.stringify(found)
  }`
}

const openFeed = async (path: string): Promise<OpenFeed> => {
  const read: Progress = { bytes: 0, line: 0 }
  const lines = recordsOf(path, read)
  const first = await lines.next()
  if (first.done === true || first.value.kind !== "genesis") {
    const start = first.done === true ? "is empty" : `starts with a ${first.value.kind} record`
    throw new FeedFileError({
      message: `Feed "${path}" ${start}: its first line must be a genesis record`
    })
  }
  const size = path === "-" ? undefined : statSync(path).size
  return {
    genesis: first.value.genesis,
    records: lines,
    share: () => size === undefined || size === 0 ? undefined : Math.min(1, read.bytes / size),
    atLine: (message) => atLine(path, read, message)
  }
}

interface Progress {
  bytes: number
  /** Number of the line of the last record, from 1. */
  line: number
}

const atLine = (path: string, { line }: Progress, message: string): string =>
  `Feed "${path}", line ${line}: ${message}`

async function* recordsOf(path: string, read: Progress): AsyncGenerator<FeedRecord, void> {
  const input = path === "-" ? process.stdin : createReadStream(path)
  try {
    // not with Effect's streams: the records are consumed as an AsyncIterable
    for await (const bytes of linesOf(input)) {
      read.line++
      read.bytes += bytes.length + 1
      if (!isUtf8(bytes)) throw new FeedFileError({ message: atLine(path, read, "expected UTF-8") })
      const line = bytes.toString()
      if (line.trim() === "") continue
      const record = readFeedLine(line)
      if (Exit.isFailure(record)) {
        const fault = syntaxFault(line, "a record", read.line) ??
          `, line ${read.line}: ${reason(record)}`
        throw new FeedFileError({ message: `Feed "${path}"${fault}` })
      }
      yield record.value
    }
  } catch (error) {
    throw error instanceof FeedFileError ? error : unreadable("Feed", path, error)
  }
}

/** Yields the lines of a stream. `node:readline` ends lines at U+2028 too, which JSON can contain. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let rest: Array<Buffer> = []
  for await (const chunk of input) {
    let start = 0
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", start)) {
      yield Buffer.concat([...rest, chunk.subarray(start, end)])
      rest = []
      start = end + 1
    }
    rest.push(chunk.subarray(start))
  }
  if (rest.some(({ length }) => length > 0)) yield Buffer.concat(rest)
}

const unreadable = (what: string, path: string, error: unknown): FeedFileError =>
  new FeedFileError({
    message: `${what} "${path}" cannot be read: ${
      error instanceof Error ? error.message : String(error)
    }`
  })

const reason = (exit: Exit.Failure<unknown, Schema.SchemaError>): string =>
  exit.cause.reasons.map((part) => part._tag === "Fail" ? part.error.message : String(part)).join(
    "; "
  ).replaceAll("\n", " ")
