import { Data } from "effect"

/**
 * A data directory cannot be used. The message names the directory and says what to do. Nothing in
 * the directory was changed. No reason is temporary, except `inUse` until the other process ends.
 *
 * - `directory`: it cannot be created, read or written
 * - `inUse`: another process has opened it
 * - `foreign`: `journal.sqlite` is not a journal
 * - `otherFormat`: another version of the program wrote it in a format that this one cannot read
 * - `otherNetwork`: it belongs to another genesis
 * - `damaged`: records are missing or changed
 * - `missing`: it contains no journal
 *
 * ```ts
 * import { Effect } from "effect"
 * import { exportFeed } from "rollup-node-api/journal"
 *
 * const reading = Effect.as(exportFeed("./no-such-directory"), "a feed")
 * const read = Effect.catchTag(reading, "JournalError", ({ reason }) => Effect.succeed(reason))
 * console.log(await Effect.runPromise(Effect.scoped(read))) // => missing
 * ```
 */
export class JournalError extends Data.TaggedError("JournalError")<{
  readonly reason:
    | "directory"
    | "inUse"
    | "foreign"
    | "otherFormat"
    | "otherNetwork"
    | "damaged"
    | "missing"
  readonly message: string
  readonly cause?: unknown
}> {}

/** Returns the error for a directory that cannot be created, read or written. */
export const directoryError = (
  directory: string,
  problem: string,
  cause: unknown
): JournalError => {
  const message = `Directory "${directory}" cannot be used: ${problem}`
  return new JournalError({ reason: "directory", cause, message })
}
