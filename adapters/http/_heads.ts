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
  send({ body, headers, isAscii, status }: HttpAnswer, { lines, shared }: ToldParts, response: Headed): boolean {
    if (!sharedHeaders.has(shared.headers) || isAscii !== true || typeof body !== "string") return false
    // a connection that ends with this answer is told so in its head
    if (!response.shouldKeepAlive || response.destroyed || response.headersSent) return false
    const second = Math.floor(Date.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#texts.clear()
    }
    const known = this.#texts.get(shared.headers)
    const own = `${lines}content-length: ${body.length}\r\n`
    if (known !== undefined) {
      response._header = `${known[0]}${own}${known[1]}${body}`
      response.end()
      return true
    }
    response.writeHead(status, { ...headers, "content-length": `${body.length}` })
    const head = response._header
    if (typeof head === "string") {
      const [before, after] = head.split(own)
      if (after !== undefined) this.#texts.set(shared.headers, [before!, after])
    }
    response.end(body, "latin1")
    return true
  }
}
