import type { Readable } from "node:stream"
import { utf8Text } from "../http/mod.ts"

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
export class UnreadableLine {
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
  body: Pick<Readable, "iterator">,
  { bodyBytesMax = Infinity, idleMs, lineBytesMax }: Omit<LineLimits, "onHit">
): AsyncGenerator<Line | UnreadableLine, void> {
  // the connection stays open for the answer
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  let [number, bytes] = [1, 0]
  let rest: Array<Buffer> = []
  let restBytes = 0
  for (;;) {
    const read = await withTimeout(chunks.next(), idleMs)
    if (read === "idle" || read === "disconnected") {
      return yield new UnreadableLine(number, read)
    }
    const chunk = read.done === true ? Buffer.alloc(0) : read.value
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
}

const lineFeed = 10

/** Returns undefined for a blank line. */
const decodeLine = (
  number: number,
  parts: ReadonlyArray<Buffer>
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
