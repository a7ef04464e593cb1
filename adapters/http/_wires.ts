import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { ToldAnswer, type ToldParts } from "./_told.ts"
import { type HttpAnswer, keptAnswers } from "./message.ts"

/** What Node is about to send before a body, which `writeHead` has made, and whether it has. Other runtimes have none. */
export interface Headed extends ServerResponse {
  _header?: string | null
  _headerSent?: boolean
}

/** Bytes of all answers that are kept for a second. */
const bytesMax = 8 * 2 ** 20

/** Head and body in one, and where the lines of one request are. */
interface Wire {
  readonly bytes: Buffer
  readonly linesAt: number
  readonly linesBytes: number
}

/**
 * Kept answers as they leave, head and body in one, for the second that their Date names. To make the head anew and to send two pieces takes
 * longer than everything else about an answer that is there already. What is of one request alone is written into the place of what was of
 * the one before it, which costs the same for a large answer as for a small one.
 */
export class Wires {
  #second = 0
  #bytes = 0
  /** Null for what was asked for once in this second: nothing is made for it yet. */
  readonly #wires = new Map<HttpAnswer, Wire | null>()

  /** Whether the answer is on its way already: it is a kept one that is asked for often. */
  sendKept(parts: ToldParts, response: Headed): boolean {
    const { socket } = response
    // a connection that ends with this answer is told so in its head
    if (!response.shouldKeepAlive || socket === null || !socket.writable || !this.write(parts, socket)) return false
    // Node takes the head for one that it has sent
    response._header = sent
    response._headerSent = true
    // done when the bytes have left
    response.end()
    return true
  }

  /** Whether the answer is on its way, without a response of Node: it is a kept one that is asked for often. The connection has to stay afterwards. */
  write({ lines, shared }: ToldParts, socket: Socket): boolean {
    if (!keptAnswers.has(shared)) return false
    const second = Math.floor(Date.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#bytes = 0
      this.#wires.clear()
    }
    const wire = this.#wires.get(shared)
    if (wire == null) return false
    const bytes = withLines(wire, lines)
    socket.write(bytes)
    // what has not left yet must not change any more
    if (bytes === wire.bytes && lines !== "" && socket.writableLength > 0) this.#wires.set(shared, null)
    return true
  }

  /** Has the answer leave in one from now on, once it is asked for often, with a head of a connection that stays. */
  note(answer: HttpAnswer, head: string): void {
    const { lines, shared } = ToldAnswer.partsOf(answer)
    // of a text with other characters nothing else tells the bytes
    if (!keptAnswers.has(shared) || (typeof shared.body === "string" && shared.body !== "" && shared.isAscii !== true)) return
    if (!this.#wires.has(shared)) return void this.#wires.set(shared, null)
    const linesAt = lines === "" ? head.indexOf("\r\n") + 2 : head.indexOf(lines)
    const { body } = shared
    if (linesAt < 0 || this.#bytes + head.length + body.length > bytesMax) return
    const bytes = Buffer.allocUnsafe(head.length + body.length)
    bytes.write(head, "latin1")
    if (typeof body === "string") bytes.write(body, head.length, "latin1")
    else bytes.set(body, head.length)
    this.#bytes += bytes.length
    this.#wires.set(shared, { bytes, linesAt, linesBytes: lines.length })
  }
}

const sent = "sent"

/** In place where there is room for exactly these lines. */
const withLines = ({ bytes, linesAt, linesBytes }: Wire, lines: string): Buffer => {
  if (lines.length === linesBytes) {
    // less than `write` takes for a text that was just put together
    for (let i = 0; i < linesBytes; i++) bytes[linesAt + i] = lines.charCodeAt(i)
    return bytes
  }
  const rest = bytes.subarray(linesAt + linesBytes)
  const other = Buffer.allocUnsafe(linesAt + lines.length + rest.length)
  other.set(bytes.subarray(0, linesAt))
  other.write(lines, linesAt, "latin1")
  other.set(rest, linesAt + lines.length)
  return other
}

/** The text that has a character for each byte. */
export const latin1Of = ({ buffer, byteOffset, length }: Uint8Array): string => Buffer.from(buffer, byteOffset, length).toString("latin1")
