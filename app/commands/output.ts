import { Effect } from "effect"
import { createWriteStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { setImmediate } from "node:timers/promises"
import { ProgramFailure } from "../process/mod.ts"

/**
 * Writes texts to a file or to standard output, and calls `onCount` with the number written so far.
 * Succeeds if the reader closes the pipe early. If it is interrupted, the output ends after some
 * text.
 */
export const writeTexts = (
  texts: Iterable<string>,
  path: string | undefined,
  onCount = (_count: number): void => {}
): Effect.Effect<void, Error> =>
  Effect.tryPromise({
    // not with Effect's streams, in which an error that the iterable throws is a defect
    try: (signal) =>
      pipeline(
        inSlices(texts, onCount),
        path === undefined ? process.stdout : createWriteStream(path),
        { end: path !== undefined, signal }
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

/** Writes a text and a line break to standard output. */
export const printText = (text: string) => writeTexts([`${text}\n`], undefined)

/** Yields the texts, and lets the event loop run in between, so that a signal is received. */
async function* inSlices(
  texts: Iterable<string>,
  onCount: (count: number) => void
): AsyncGenerator<string, void> {
  let endMs = performance.now() + SLICE_MS
  let count = 0
  for (const text of texts) {
    yield text
    onCount(++count)
    if (performance.now() < endMs) continue
    await setImmediate()
    endMs = performance.now() + SLICE_MS
  }
}

const SLICE_MS = 50
