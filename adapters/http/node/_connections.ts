import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { largeBytes } from "../message/mod.ts"

/** Pipelined requests that wait on one connection before the server stops reading from it. */
const pipelinedMax = 16
/** The same on all connections together; a connection that adds another one is destroyed. Each takes about 4 kB. */
const pipelinedTotalMax = 16_384

export interface ConnectionLimits {
  /** How long a client may take to read an answer. */
  readonly sendTimeoutMs: number
  /** Bytes of answers that clients have not read, on all connections together. */
  readonly unreadBytesMax: number
}

interface Exchange {
  readonly response: ServerResponse
  readonly start: () => void
}

/** One client connection: answers its requests in their order, one at a time. */
export class Connection {
  readonly socket: Socket
  readonly #all: Connections
  /** The response that is computed or sent now. */
  #current: ServerResponse | undefined
  readonly #waiting: Array<Exchange> = []
  #onIdle: (() => void) | undefined
  /** Bytes of the current answer that the client had not read when last looked at, and since when it reads none. */
  unreadBytes = 0
  sentAtMs = 0
  progressAtMs = 0

  constructor(socket: Socket, all: Connections) {
    this.socket = socket
    this.#all = all
    socket.once("close", () => {
      all.pipelined -= this.#waiting.length
      this.#waiting.length = 0
    })
  }

  get current(): ServerResponse | undefined {
    return this.#current
  }

  /** Starts to answer a request once all earlier requests of the connection have been answered. */
  begin(response: ServerResponse, start: () => void): void {
    if (this.#current === undefined) return this.#start({ response, start })
    if (this.#all.pipelined >= pipelinedTotalMax) return void this.socket.destroy()
    if (this.socket.destroyed) return
    this.#all.pipelined++
    this.#waiting.push({ response, start })
    if (this.#waiting.length !== pipelinedMax) return
    // Node resumes reading after each request, and when the client has read an answer
    this.socket.off("drain", this.#hold).on("drain", this.#hold)
    this.#hold()
  }

  /** Calls back when the requests that have arrived whole are answered. One that waits and has not is dropped: no more of it will arrive. */
  whenIdle(then: () => void): void {
    if (this.#waiting.at(-1)?.response.req.complete === false) {
      this.#waiting.pop()
      this.#all.pipelined--
    }
    if (this.#current === undefined) then()
    else this.#onIdle = then
  }

  #start({ response, start }: Exchange): void {
    this.#current = response
    // emitted once, so that `once` would only cost a wrapper
    response.on("close", this.#next)
    start()
  }

  readonly #next = (): void => {
    this.#current = undefined
    if (this.unreadBytes > 0) this.#all.wasRead(this)
    const next = this.#waiting.shift()
    if (next === undefined) {
      if (this.#onIdle !== undefined) this.#onIdle()
      else if (this.#all.isClosing) this.socket.destroySoon()
      return
    }
    this.#all.pipelined--
    this.#current = next.response
    if (this.#waiting.length === 0) this.socket.resume()
    // other connections take their turn first
    setImmediate(() => {
      if (!this.socket.destroyed) this.#start(next)
    })
  }

  readonly #hold = (): void =>
    process.nextTick(() => {
      if (this.#waiting.length >= pipelinedMax) this.socket.pause()
    })
}

/** The open connections of a server, and the bytes that their clients have not read. */
export class Connections {
  readonly #open = new Map<Socket, Connection>()
  readonly #unread = new Set<Connection>()
  readonly #limits: ConnectionLimits
  #onEmpty: (() => void) | undefined
  /** Connections since the start. */
  accepted = 0
  unreadBytes = 0
  pipelined = 0
  /** The server stops: each answer closes its connection. */
  isDraining = false
  /** Connections without a request are closed. */
  isClosing = false
  /** Connections that were destroyed and answers that were refused, by the limit. */
  readonly hits = { sendTimeoutMs: 0, unreadBytesMax: 0 }

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits
    server.on("connection", (socket: Socket) => {
      this.accepted++
      this.#open.set(socket, new Connection(socket, this))
      socket.once("close", () => this.#closed(socket))
    })
  }

  get size(): number {
    return this.#open.size
  }

  /** Whether a client has not read all of its answer. */
  get hasUnread(): boolean {
    return this.#unread.size > 0
  }

  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket)
  }

  /** Whether an answer of this size is sent now: those that are not large always are. */
  readonly accepts = (bytes: number): boolean => {
    if (bytes <= largeBytes || this.unreadBytes < this.#limits.unreadBytesMax) return true
    this.hits.unreadBytesMax++
    return false
  }

  /** Called when an answer has been written. */
  wasSent(connection: Connection): void {
    const bytes = connection.socket.writableLength
    if (bytes === 0 || connection.current === undefined) return
    connection.unreadBytes = bytes
    connection.sentAtMs = connection.progressAtMs = performance.now()
    this.unreadBytes += bytes
    this.#unread.add(connection)
  }

  /** Called when the client has read the answer, or is gone. */
  wasRead(connection: Connection): void {
    this.unreadBytes -= connection.unreadBytes
    connection.unreadBytes = 0
    this.#unread.delete(connection)
  }

  /** Destroys connections whose clients do not read their answers in time, and while too much is unread those that have read nothing for longest. */
  destroyStalled(nowMs = performance.now()): void {
    for (const connection of this.#unread) {
      const bytes = connection.socket.writableLength
      if (bytes < connection.unreadBytes) connection.progressAtMs = nowMs
      this.unreadBytes += bytes - connection.unreadBytes
      connection.unreadBytes = bytes
      if (nowMs - connection.sentAtMs > this.#limits.sendTimeoutMs) {
        this.#destroy(connection, "sendTimeoutMs")
      }
    }
    if (this.unreadBytes < this.#limits.unreadBytesMax) return
    const slowestFirst = [...this.#unread].sort((a, b) =>
      a.progressAtMs - b.progressAtMs || b.unreadBytes - a.unreadBytes
    )
    for (const connection of slowestFirst) {
      if (this.unreadBytes < this.#limits.unreadBytesMax) return
      this.#destroy(connection, "unreadBytesMax")
    }
  }

  /** Destroys connections that have sent nothing yet. */
  destroySilent(): void {
    for (const socket of this.#open.keys()) if (socket.bytesRead === 0) socket.destroy()
  }

  destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy()
  }

  /** Calls back when there is no connection. */
  whenEmpty(then: () => void): void {
    if (this.size === 0) then()
    else this.#onEmpty = then
  }

  #destroy(connection: Connection, limit: keyof Connections["hits"]): void {
    this.wasRead(connection)
    this.hits[limit]++
    connection.socket.destroy()
  }

  #closed(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection !== undefined) this.wasRead(connection)
    this.#open.delete(socket)
    if (this.size === 0) this.#onEmpty?.()
  }
}
