import type { ServerResponse } from "node:http"
import { type HttpAnswer, keptAnswers } from "./message.ts"

/** What Node is about to send before a body, which `writeHead` has made. Other runtimes have none. */
export interface Headed extends ServerResponse {
  _header?: string | null
}

/** Characters of all texts that are kept for a second. */
const charactersMax = 8 * 2 ** 20

/**
 * Kept answers as they leave, head and body in one text with a byte to a character, for the second that their Date names. To make the head
 * anew and to send two pieces takes longer than everything else about an answer that is there already.
 */
export class Wires {
  #second = 0
  #characters = 0
  /** Null for what was asked for once in this second: nothing is made for it yet. */
  readonly #texts = new Map<HttpAnswer, string | null>()

  /** Whether the answer is on its way already: it is a kept one that is asked for often. */
  sendKept(answer: HttpAnswer, response: Headed): boolean {
    if (!keptAnswers.has(answer)) return false
    const second = Math.floor(Date.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#characters = 0
      this.#texts.clear()
    }
    const text = this.#texts.get(answer)
    // a connection that ends with this answer is told so in its head
    if (typeof text !== "string" || !response.shouldKeepAlive) return false
    response._header = text
    response.end()
    return true
  }

  /** Has the answer leave as one text from now on, once it is asked for often; `response` holds its head. */
  note(answer: HttpAnswer, { _header: head, shouldKeepAlive }: Headed): void {
    if (typeof head !== "string" || !shouldKeepAlive || !keptAnswers.has(answer)) return
    if (!this.#texts.has(answer)) return void this.#texts.set(answer, null)
    const { body } = answer
    const text = head + (typeof body === "string" ? body : latin1Of(body))
    if (this.#characters + text.length > charactersMax) return
    this.#characters += text.length
    this.#texts.set(answer, text)
  }
}

/** The text that has a character for each byte. */
export const latin1Of = ({ buffer, byteOffset, length }: Uint8Array): string => Buffer.from(buffer, byteOffset, length).toString("latin1")
