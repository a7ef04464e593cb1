import { Effect } from "effect"
import { type HttpRequest, utf8Text } from "../http/mod.ts"
import type { ByteStream } from "../http/message/mod.ts"
import type { Refusal } from "./_reply.ts"

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
export interface Line {
  /** From 1. */
  readonly number: number
  readonly text: string
}

/** The reason why a line cannot be read. */
class UnreadableLine {
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
  body: ByteStream,
  { bodyBytesMax = Infinity, idleMs, lineBytesMax }: Omit<LineLimits, "onHit">
): AsyncGenerator<Line | UnreadableLine, void> {
  // the connection stays open for the answer
  const chunks = body.iterator({ destroyOnReturn: false })
  let isPending = false
  let [number, bytes] = [1, 0]
  let rest: Array<Uint8Array> = []
  let restBytes = 0
  try {
    for (;;) {
      isPending = true
      const read = await withTimeout(chunks.next(), idleMs)
      if (read === "idle" || read === "disconnected") {
        return yield new UnreadableLine(number, read)
      }
      isPending = false
      const chunk = read.done === true ? new Uint8Array() : read.value
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
  } finally {
    // an iterator that waits for bytes cannot return before they arrive
    if (!isPending) await chunks.return?.()
  }
}

/**
 * Reads the lines of a body until `use` refuses one, or one cannot be read. Returns the refusal;
 * undefined at the end of the body. After it, the rest of the body can be discarded.
 */
export const forEachLine = Effect.fnUntraced(function*<E, R>(
  { stream }: HttpRequest,
  limits: LineLimits,
  use: (line: Line) => Effect.Effect<Refusal | undefined, E, R>
): Effect.fn.Return<Refusal | undefined, E, R> {
  if (stream === undefined) return undefined
  const lines = readLines(stream, limits)
  for (;;) {
    const next = yield* Effect.promise(() => lines.next())
    if (next.done === true) return undefined
    const refusal = next.value instanceof UnreadableLine
      ? unreadableLine(next.value, limits)
      : yield* use(next.value)
    if (refusal === undefined) continue
    yield* Effect.promise(() => lines.return())
    return refusal
  }
})

const lineFeed = 10

/** Returns undefined for a blank line. */
const decodeLine = (
  number: number,
  parts: ReadonlyArray<Uint8Array>
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

/** Returns the refusal for a line that cannot be read, and counts the limit that it exceeds. */
const unreadableLine = (
  { line, reason }: UnreadableLine,
  { bodyBytesMax, idleMs, lineBytesMax, onHit }: LineLimits
): Refusal => {
  const members = { line }
  if (reason === "too-long" || reason === "body-too-large") onHit("bytes")
  if (reason === "idle") onHit("idleMs")
  switch (reason) {
    case "too-long":
      return {
        name: "body-too-large",
        message: `Line ${line} is too long: at most ${lineBytesMax} bytes are accepted`,
        members
      }
    case "body-too-large":
      return {
        name: "body-too-large",
        message: `The body is too large: at most ${bodyBytesMax} bytes are accepted`,
        members
      }
    case "idle":
      return {
        name: "request-timeout",
        message:
          `Line ${line} is incomplete, and no data arrived for ${idleMs} ms: send the body without such pauses`,
        headers: { connection: "close" },
        members
      }
    case "encoding":
      return {
        name: "invalid-record",
        message: `Line ${line} is not UTF-8, expected JSON in UTF-8`,
        faults: [{
          line,
          pointer: "",
          value: null,
          rule: "UTF-8",
          message: `Line ${line} is not UTF-8`
        }],
        members
      }
    case "disconnected":
      return {
        name: "malformed-request",
        message: `The connection closed in line ${line}, before the end of the body`,
        members
      }
  }
}
