import type { HeaderRecord } from "./_headers.ts"
import { sharedHeaders } from "./_shedding.ts"
import type { ToldParts } from "./_told.ts"
import { bodyBytes, type HttpAnswer } from "./message.ts"

// see server.ts
const { STATUS_CODES } = process.getBuiltinModule("node:http")

/** What no value of a header may hold, so that nothing that is said in one can end it; Node bears some more. */
const unwritable = /[^\t -~]/u
const dateLine = "\r\nDate: "

/**
 * Heads of answers on connections that stay: their own lines, and those that Node adds to all, which are learned from it each second. To have
 * Node make one takes as long as all else that is done for a refusal.
 */
export class Heads {
  #second = 0
  #lastLines: string | undefined

  readonly #first = new WeakMap<HeaderRecord, string>()

  /** Undefined where Node has to make it. It says how long the body is. */
  of({ body, isAscii, status }: HttpAnswer, { lines, shared: { headers } }: ToldParts): string | undefined {
    if (this.#lastLines === undefined || secondOf() !== this.#second) return undefined
    const first = this.#first.get(headers) ?? this.#firstLines(status, headers)
    if (first === undefined) return undefined
    const length = isCounted(status, headers) ? "" : `content-length: ${isAscii === true ? body.length : bodyBytes(body)}\r\n`
    return `${first}${lines}${length}${this.#lastLines}`
  }

  #firstLines(status: number, headers: HeaderRecord): string | undefined {
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
    for (const name in headers) {
      const value = headers[name]!
      if (unwritable.test(value)) return undefined
      text += `${name}: ${value}\r\n`
    }
    if (sharedHeaders.has(headers)) this.#first.set(headers, text)
    return text
  }

  /** Learns from a head that Node has made, of a connection that stays. */
  note(head: string): void {
    const second = secondOf()
    if (second === this.#second) return
    const last = head.slice(head.indexOf(dateLine) + 2)
    if (!last.startsWith("Date: ") || !last.includes("\r\nConnection: keep-alive\r\n")) return
    this.#second = second
    this.#lastLines = last
  }
}

const secondOf = (): number => Math.floor(Date.now() / 1000)

/** Whether a head says how long its body is, or need not. */
export const isCounted = (status: number, headers: HttpAnswer["headers"]): boolean => headers["content-length"] !== undefined || status === 204 || status === 304
