import type { Readable } from "node:stream"
import { utf8Text } from "../http/mod.ts"

export interface LineLimits {
  /** Longest line, without its line feed. */
  readonly lineBytesMax: number
  /** Of the whole body; none where absent. */
  readonly bodyBytesMax?: number
  /** How long a client may send nothing. */
  readonly idleMs: number
  /** Is told when one of them was hit. */
  readonly hit: (limit: "bytes" | "idleMs") => void
}

/** A line of a body, and which one it is, from 1. */
export interface Line {
  readonly number: number
  readonly text: string
}

/** Why the next line cannot be read. */
export class UnreadLine {
  readonly line: number
  readonly reason: "too-long" | "body-too-large" | "idle" | "encoding" | "gone"
  constructor(line: number, reason: UnreadLine["reason"]) {
    this.line = line
    this.reason = reason
  }
}

/**
 * The lines of a body, blank ones left out. The next bytes are read when the next line is asked for: a client that sends faster than its
 * lines are worked off is held back by its connection. Ends with an `UnreadLine` where it cannot go on.
 */
export async function* linesOf(
  body: Pick<Readable, "iterator">,
  { bodyBytesMax = Infinity, idleMs, lineBytesMax }: Omit<LineLimits, "hit">
): AsyncGenerator<Line | UnreadLine, void> {
  // the connection stays, for the answer
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  let [number, bytes] = [1, 0]
  let rest: Array<Buffer> = []
  let restBytes = 0
  for (;;) {
    const read = await within(chunks.next(), idleMs)
    if (read === "idle" || read === "gone") return yield new UnreadLine(number, read)
    const chunk = read.done === true ? Buffer.alloc(0) : read.value
    bytes += chunk.length
    if (bytes > bodyBytesMax) return yield new UnreadLine(number, "body-too-large")
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      if (restBytes + end - start > lineBytesMax) return yield new UnreadLine(number, "too-long")
      const line = lineOf(number, [...rest, chunk.subarray(start, end)])
      rest = []
      restBytes = 0
      start = end + 1
      if (line !== undefined) yield line
      if (line instanceof UnreadLine) return
      number++
    }
    restBytes += chunk.length - start
    if (restBytes > lineBytesMax) return yield new UnreadLine(number, "too-long")
    if (chunk.length > start) rest.push(chunk.subarray(start))
    if (read.done !== true) continue
    const last = lineOf(number, rest)
    if (last !== undefined) yield last
    return
  }
}

const lineFeed = 10

const lineOf = (number: number, parts: ReadonlyArray<Buffer>): Line | UnreadLine | undefined => {
  const text = utf8Text(parts.length === 1 ? parts[0]! : Buffer.concat(parts))
  if (text === undefined) return new UnreadLine(number, "encoding")
  return text.trim() === "" ? undefined : { number, text }
}

const within = async <A>(read: Promise<A>, ms: number): Promise<A | "idle" | "gone"> => {
  let timer: NodeJS.Timeout | undefined
  try {
    return await Promise.race([
      read,
      new Promise<"idle">((resolve) => timer = setTimeout(resolve, ms, "idle"))
    ])
  } catch {
    return "gone"
  } finally {
    clearTimeout(timer)
  }
}
