import { Data, Effect, Exit, Schema } from "effect"
import { createReadStream, statSync } from "node:fs"
import { createInterface } from "node:readline"
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
}

/** Opens a feed in NDJSON; `-` reads standard input. Skips blank lines. */
export const feedFrom = (path: string): Effect.Effect<OpenFeed, FeedFileError> =>
  Effect.tryPromise({
    try: () => openFeed(path),
    catch: (error) =>
      error instanceof FeedFileError ? error : new FeedFileError({ message: String(error) })
  })

const openFeed = async (path: string): Promise<OpenFeed> => {
  const read = { bytes: 0 }
  const lines = recordsOf(path, read)
  const first = await lines.next()
  if (first.done === true) {
    throw new FeedFileError({
      message: `Feed "${path}" is empty: its first line must be a genesis record`
    })
  }
  if (first.value.kind !== "genesis") {
    throw new FeedFileError({
      message:
        `Feed "${path}" starts with a ${first.value.kind} record: its first line must be a genesis record`
    })
  }
  const size = path === "-" ? undefined : statSync(path).size
  return {
    genesis: first.value.genesis,
    records: lines,
    share: () => size === undefined || size === 0 ? undefined : Math.min(1, read.bytes / size)
  }
}

async function* recordsOf(path: string, read: { bytes: number }): AsyncGenerator<FeedRecord, void> {
  const input = path === "-" ? process.stdin : createReadStream(path)
  let number = 0
  try {
    // not with Effect's streams: the records are consumed as an AsyncIterable
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      number++
      read.bytes += Buffer.byteLength(line) + 1
      if (line.trim() === "") continue
      const record = readFeedLine(line)
      if (Exit.isFailure(record)) {
        throw new FeedFileError({ message: `Feed "${path}", line ${number}: ${reason(record)}` })
      }
      yield record.value
    }
  } catch (error) {
    throw error instanceof FeedFileError
      ? error
      : new FeedFileError({
        message: `Feed "${path}" cannot be read: ${
          error instanceof Error ? error.message : String(error)
        }`
      })
  }
}

const reason = (exit: Exit.Failure<unknown, Schema.SchemaError>): string =>
  exit.cause.reasons.map((part) => part._tag === "Fail" ? part.error.message : String(part)).join(
    "; "
  ).replaceAll("\n", " ")
