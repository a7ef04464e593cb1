import { connect, type Socket } from "node:net"

/**
 * Called with the response head, or with null if the connection closed, and the latest time at
 * which it had arrived.
 */
export type Ended = (
  answer: { readonly status: number; readonly head: string } | null,
  thereMs: number
) => void

/** Maximum bytes of a head; the rest of a response is not parsed. */
const headMax = 2048

/** All connections read into it: received bytes are parsed before the next read. */
const buffer = Buffer.allocUnsafe(65_536)

let lookedMs = Infinity
/**
 * Returns when the event loop polled the current events: all of them had happened by then, however
 * long the first one takes to process.
 */
const foundMs = (): number => {
  if (lookedMs === Infinity) {
    lookedMs = performance.now()
    setImmediate(() => void (lookedMs = Infinity))
  }
  return lookedMs
}

/** A client that sends one request after the other. */
export class Connection {
  readonly #socket: Socket
  #ended: Ended | undefined
  #head = ""
  #received = 0
  #missing = 0
  isClosed = false
  answers = 0

  /** @param connected called when the connection is established; then its first request is sent */
  constructor(port: number, connected: () => void) {
    const onread = { buffer, callback: (bytes: number) => this.#read(bytes) }
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true, onread }, connected)
    this.#socket.on("error", () => {}).on("close", () => {
      this.isClosed = true
      this.#end(null)
    })
  }

  ask(path: string, ended: Ended): void {
    this.#ended = ended
    this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`, "latin1")
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(bytes: number): boolean {
    if (this.#missing > 0) this.#missing -= bytes
    else {
      this.#head += buffer.toString("latin1", 0, Math.min(bytes, headMax))
      this.#received += bytes
      const end = this.#head.indexOf("\r\n\r\n")
      if (end < 0) return true
      this.#missing = Number(/\r\ncontent-length: (\d+)/iu.exec(this.#head)?.[1] ?? 0) -
        (this.#received - end - 4)
    }
    if (this.#missing > 0) return true
    const head = this.#head
    this.#head = ""
    this.#received = this.#missing = 0
    this.answers++
    this.#end({ status: Number(head.slice(9, 12)), head })
    return true
  }

  #end(answer: Parameters<Ended>[0]): void {
    const ended = this.#ended
    this.#ended = undefined
    ended?.(answer, foundMs())
  }
}
