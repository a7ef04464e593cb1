import type { HttpRequest } from "./message.ts"

/** A request as it came, but for what it is about. */
export interface PlainGet {
  /** Path and query. */
  readonly url: string
  /** Everything behind the first line, with its end: what clients send with each request, and mostly the same. */
  readonly lines: string
}

/** What no URL has that needs a second look. */
const plainUrl = /^\/[\w.~!$&'()*+,;=:@/?%-]*$/u
const [before, after, end] = ["GET ", " HTTP/1.1", "\r\n\r\n"]
/** What makes more of a request than its lines say, or might. */
const unusual = /upgrade|content-length|transfer-encoding|expect|:[^\r]*close/iu

/** Reads a GET that has arrived as a whole, alone, and without anything unusual in its first line; undefined where it is anything else. */
export const plainGet = (bytes: Buffer): PlainGet | undefined => {
  const text = bytes.toString("latin1")
  if (!text.startsWith("GET /") || text.indexOf(end) !== text.length - end.length) return undefined
  const lineEnd = text.indexOf("\r\n")
  // a copy: who remembers an URL does not remember all that came with it
  const url = bytes.toString("latin1", before.length, lineEnd - after.length)
  return text.startsWith(after, lineEnd - after.length) && plainUrl.test(url) ? { url, lines: text.slice(lineEnd) } : undefined
}

/** Whether lines can say nothing but headers of a request without a body, on a connection that stays. */
export const areUsual = (lines: string): boolean => !unusual.test(lines)

/** Bytes of lines that are worth to be remembered. */
const linesMax = 2048
/** Lines that are remembered for certain; as many more may be. */
const knownMax = 512

/**
 * Lines of requests as Node has read them: what is the same, byte for byte, need not be read again. Those that nobody sends any more are
 * forgotten.
 */
export class KnownLines {
  #young = new Map<string, HttpRequest["headers"]>()
  #old = new Map<string, HttpRequest["headers"]>()

  headersOf(lines: string): HttpRequest["headers"] | undefined {
    const young = this.#young.get(lines)
    if (young !== undefined) return young
    const old = this.#old.get(lines)
    if (old !== undefined) this.learn(lines, old)
    return old
  }

  learn(lines: string, headers: HttpRequest["headers"]): void {
    if (lines.length > linesMax) return
    if (this.#young.size >= knownMax) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(lines, headers)
  }
}
