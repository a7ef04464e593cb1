import { Stream } from "effect"
import { type HttpRequest, utf8Text } from "../http/mod.ts"
import type { ByteStream } from "../http/message/mod.ts"
import type { Refusal } from "./_reply.ts"
import type { CountedLimits } from "./limit.ts"

interface LineLimits {
  /** Maximum bytes of a line, without its line feed. */
  readonly lineBytesMax: number
  /** Maximum bytes of the body; unlimited by default. */
  readonly bodyBytesMax?: number
  /** How long a client may pause. */
  readonly idleMs: number
}

/** A line of a body. */
export interface Line {
  /** From 1. */
  readonly number: number
  readonly text: string
}

/**
 * Yields the lines of a body, except blank ones. It reads more bytes only when the next line is
 * requested, so a client that sends faster than its lines are processed gets backpressure. Throws
 * the `Refusal` if it cannot continue.
 */
export async function* readLines(
  body: ByteStream,
  { bodyBytesMax = Infinity, idleMs, lineBytesMax }: LineLimits
): AsyncGenerator<Line, void> {
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
      if (read === "idle") throw idle(number, idleMs)
      if (read === "disconnected") throw disconnected(number)
      isPending = false
      const isEnd = read.done === true
      // the end of the body ends its last line
      const chunk = isEnd ? endOfLine : read.value
      bytes += isEnd ? 0 : chunk.length
      if (bytes > bodyBytesMax) throw tooLarge(number, bodyBytesMax, "The body is too large")
      let start = 0
      for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
        rest.push(chunk.subarray(start, end))
        if (restBytes + end - start > lineBytesMax) throw tooLarge(number, lineBytesMax)
        const text = utf8Text(rest.length === 1 ? rest[0]! : Buffer.concat(rest))
        if (text === undefined) throw notUtf8(number)
        if (text.trim() !== "") yield { number, text }
        rest = []
        restBytes = 0
        start = end + 1
        number++
      }
      restBytes += chunk.length - start
      if (restBytes > lineBytesMax) throw tooLarge(number, lineBytesMax)
      if (chunk.length > start) rest.push(chunk.subarray(start))
      if (isEnd) return
    }
  } finally {
    // an iterator that waits for bytes cannot return before they arrive
    if (!isPending) await chunks.return?.()
  }
}

const lineFeed = 10
const endOfLine = Uint8Array.of(lineFeed)

/**
 * Emits the lines of a body. Fails with the refusal of a line, after which the rest of the body can
 * be discarded, and counts the limits that the body exceeds.
 *
 * @param bytesLimit the limit of the bytes of a line, or of the whole body
 */
export const linesOf = (
  { stream }: HttpRequest,
  { hits, ...limits }: CountedLimits,
  bytesLimit: "feedLineBytesMax" | "poolBodyBytesMax"
): Stream.Stream<Line, Refusal> => {
  if (stream === undefined) return Stream.empty
  const lines = readLines(stream, {
    idleMs: limits.adminBodyIdleMs,
    lineBytesMax: limits[bytesLimit],
    bodyBytesMax: bytesLimit === "poolBodyBytesMax" ? limits[bytesLimit] : Infinity
  })
  return Stream.fromAsyncIterable(lines, (reason) => {
    const refusal = reason as Refusal
    if (refusal.name === "body-too-large") hits[bytesLimit]++
    if (refusal.name === "request-timeout") hits.adminBodyIdleMs++
    return refusal
  })
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

const tooLarge = (
  line: number,
  bytesMax: number,
  subject = `Line ${line} is too long`
): Refusal => ({
  name: "body-too-large",
  message: `${subject}: at most ${bytesMax} bytes are accepted`,
  members: { line }
})

const idle = (line: number, idleMs: number): Refusal => ({
  name: "request-timeout",
  message:
    `Line ${line} is incomplete, and no data arrived for ${idleMs} ms: send the body without such pauses`,
  headers: { connection: "close" },
  members: { line }
})

const notUtf8 = (line: number): Refusal => {
  const message = `Line ${line} is not UTF-8`
  return {
    name: "invalid-record",
    message: `${message}, expected JSON in UTF-8`,
    faults: [{ in: "body", line, parameter: "", value: null, rule: "UTF-8", message }],
    members: { line }
  }
}

const disconnected = (line: number): Refusal => ({
  name: "malformed-request",
  message: `The connection closed in line ${line}, before the end of the body`,
  members: { line }
})
