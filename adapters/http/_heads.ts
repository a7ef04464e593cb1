import type { HeaderRecord } from "./_headers.ts"
import { sharedHeaders } from "./_shedding.ts"
import type { ToldParts } from "./_told.ts"
import type { Headed } from "./_wires.ts"
import type { HttpAnswer } from "./message.ts"

/** Heads of answers that share their headers, but for their lengths, for the second that their Date names: to make one anew takes as long as all else that is done for a refusal. */
export class Heads {
  #second = 0
  readonly #texts = new Map<HeaderRecord, readonly [before: string, after: string]>()

  /** Whether the answer is on its way: it is one whose headers are shared, but for the lines of its request. */
  send(answer: HttpAnswer, parts: ToldParts, response: Headed): boolean {
    const { body, headers, isAscii, status } = answer
    const { lines, shared } = parts
    if (!sharedHeaders.has(shared.headers) || isAscii !== true || typeof body !== "string") return false
    // a connection that ends with this answer is told so in its head
    if (!response.shouldKeepAlive || response.destroyed || response.headersSent) return false
    const text = this.textOf(answer, parts)
    if (text !== undefined) {
      response._header = text
      response.end()
      return true
    }
    response.writeHead(status, { ...headers, "content-length": `${body.length}` })
    const head = response._header
    if (typeof head === "string") {
      const [before, after] = head.split(ownLines(lines, body))
      if (after !== undefined) this.#texts.set(shared.headers, [before!, after])
    }
    response.end(body, "latin1")
    return true
  }

  /** Head and body of such an answer, a character for each byte, where another one with its headers was sent in this second; the connection has to stay afterwards. */
  textOf({ body, isAscii }: HttpAnswer, { lines, shared }: ToldParts): string | undefined {
    const second = Math.floor(Date.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#texts.clear()
    }
    if (isAscii !== true || typeof body !== "string") return undefined
    const known = this.#texts.get(shared.headers)
    return known === undefined ? undefined : `${known[0]}${ownLines(lines, body)}${known[1]}${body}`
  }
}

const ownLines = (lines: string, body: string): string => `${lines}content-length: ${body.length}\r\n`
