import { Effect } from "effect"
import { createWriteStream } from "node:fs"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { ProgramFailure } from "../exit_codes.ts"

/** Writes texts to a file or to standard output. Succeeds if the reader closes the pipe early. */
export const writeTexts = (
  texts: Iterable<string>,
  path: string | undefined
): Effect.Effect<void, Error> =>
  Effect.tryPromise({
    // not with Effect's streams, in which an error that the iterable throws is a defect
    try: () =>
      pipeline(
        Readable.from(texts),
        path === undefined ? process.stdout : createWriteStream(path),
        { end: path !== undefined }
      ),
    catch: (cause) => cause as NodeJS.ErrnoException
  }).pipe(
    Effect.catchIf(({ code }) => path === undefined && code === "EPIPE", () => Effect.void),
    Effect.mapError((cause) =>
      "syscall" in cause
        ? new ProgramFailure({
          exitReason: "refused",
          cause,
          message: `${
            path === undefined ? "The standard output" : `The file "${path}"`
          } cannot be written: ${cause.message}`
        })
        : cause
    )
  )

/** Yields the texts, and calls `onCount` with the number consumed so far. */
export function* counted(
  texts: Iterable<string>,
  onCount: (count: number) => void
): Generator<string, void> {
  let count = 0
  for (const text of texts) {
    yield text
    onCount(++count)
  }
}
