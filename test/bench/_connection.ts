import { connect, type Socket } from "node:net"

/** The head of an answer. */
export interface Answer {
  readonly status: number
  readonly head: string
}

/** Called with the answer, or with null if the connection has ended before it. */
export type Answered = (answer: Answer | null) => void

/** Maximum bytes of a head; the rest of an answer is not parsed. */
const headMax = 2048

/** All connections read into it: received bytes are parsed before the next read. */
const buffer = Buffer.allocUnsafe(65_536)

/**
 * A keep-alive connection of a client that creates load: it sends one request after the other, and
 * parses only heads, because it often shares the cores with the server.
 */
export class Connection {
  readonly #socket: Socket
  #answered: Answered | undefined
  #head = ""
  #received = 0
  #missing = 0
  answers = 0
  isClosed = false

  /** @param connected called when the connection is established */
  constructor(port: number, connected?: () => void) {
    const onread = { buffer, callback: (bytes: number) => this.#read(bytes) }
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true, onread }, connected)
    this.#socket.on("error", () => {}).on("close", () => {
      this.isClosed = true
      this.#end(null)
    })
  }

  ask(request: Buffer | string, answered: Answered): void {
    if (this.isClosed) return answered(null)
    this.#answered = answered
    this.#socket.write(request)
  }

  close(): void {
    this.#answered = undefined
    this.#socket.destroy()
  }

  #read(bytes: number): boolean {
    if (this.#missing > 0) this.#missing -= bytes
    else {
      this.#head += buffer.toString("latin1", 0, Math.min(bytes, headMax))
      this.#received += bytes
      const end = this.#head.indexOf("\r\n\r\n")
      if (end < 0) return true
      // only an answer without a body has no length
      const length = /\r\ncontent-length: (\d+)/iu.exec(this.#head)?.[1] ?? 0
      this.#missing = Number(length) - (this.#received - end - 4)
    }
    if (this.#missing > 0) return true
    const head = this.#head
    this.#head = ""
    this.#received = this.#missing = 0
    this.answers++
    this.#end({ status: Number(head.slice(9, 12)), head })
    return true
  }

  #end(answer: Answer | null): void {
    const answered = this.#answered
    this.#answered = undefined
    answered?.(answer)
  }
}

/** Returns the bytes of a GET with further header lines. */
export const getRequest = (path: string, ...headers: ReadonlyArray<string>): Buffer =>
  Buffer.from([`GET ${path} HTTP/1.1`, "Host: 127.0.0.1", ...headers, "", ""].join("\r\n"))

/** Returns the bytes of a POST of a JSON text. */
export const postRequest = (path: string, body: string): Buffer => {
  const headers = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`
  return Buffer.from(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n\r\n${body}`)
}
