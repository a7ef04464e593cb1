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
/** Bytes that are looked at, and those of lines that are remembered. */
const [bytesMax, linesMax] = [16_384, 2048]

/** Reads a GET that has arrived as a whole, alone, short, and without anything unusual in its first line; undefined where it is anything else. */
export const plainGet = (bytes: Buffer): PlainGet | undefined => {
  if (bytes.length > bytesMax) return undefined
  const text = bytes.toString("latin1")
  if (!text.startsWith("GET /") || text.indexOf(end) !== text.length - end.length) return undefined
  const lineEnd = text.indexOf("\r\n")
  if (text.length - lineEnd > linesMax || !text.startsWith(after, lineEnd - after.length)) return undefined
  // a copy: who remembers an URL does not remember all that came with it
  const url = bytes.toString("latin1", before.length, lineEnd - after.length)
  return plainUrl.test(url) ? { url, lines: text.slice(lineEnd) } : undefined
}

/** Lines that are remembered for certain; as many more may be. */
const knownMax = 512

/** Lines of requests as Node has read them: what is the same, byte for byte, need not be read again. Those that came last are remembered. */
export class KnownLines {
  #young = new Map<string, HttpRequest["headers"]>()
  #old = new Map<string, HttpRequest["headers"]>()

  headersOf(lines: string): HttpRequest["headers"] | undefined {
    const young = this.#young.get(lines)
    if (young !== undefined) return young
    const old = this.#old.get(lines)
    if (old !== undefined) this.#remember(lines, old)
    return old
  }

  learn(lines: string, headers: HttpRequest["headers"]): void {
    // a copy: a part of a text keeps all of it
    this.#remember(Buffer.from(lines, "latin1").toString("latin1"), headers)
  }

  #remember(lines: string, headers: HttpRequest["headers"]): void {
    if (this.#young.size >= knownMax) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(lines, headers)
  }
}
