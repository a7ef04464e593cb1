import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { largeBytes } from "../message/mod.ts"
import type { ServerLimits } from "./server_limits.ts"

/** Number of waiting pipelined requests at which the server stops reading from a connection. */
const pipelinedMax = 16
/**
 * Maximum number of waiting pipelined requests of all connections, of about 4 kB each. A connection
 * that exceeds it is destroyed.
 */
const pipelinedTotalMax = 16_384

type ConnectionLimits = Pick<ServerLimits, "sendTimeoutMs" | "unreadBytesMax">

interface Exchange {
  readonly response: ServerResponse
  readonly start: () => void
}

/** A client connection. Its requests are answered in order, one at a time. */
export class Connection {
  readonly socket: Socket
  readonly #all: Connections
  /** The response that is being computed or sent. */
  #current: ServerResponse | undefined
  readonly #waiting: Array<Exchange> = []
  #onIdle: (() => void) | undefined
  /** Bytes of the current answer that the client had not read at the last check. */
  unreadBytes = 0
  /** When the current answer was written. */
  sentAtMs = 0
  /** The last check at which the client had read more of the current answer. */
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

  /** Calls `start` when all earlier requests of the connection have been answered. */
  enqueue(response: ServerResponse, start: () => void): void {
    if (this.#current === undefined) return this.#start({ response, start })
    if (this.#all.pipelined >= pipelinedTotalMax) return void this.socket.destroy()
    if (this.socket.destroyed) return
    this.#all.pipelined++
    this.#waiting.push({ response, start })
    if (this.#waiting.length !== pipelinedMax) return
    // Node resumes reading after each request, and when the client has read an answer
    this.socket.off("drain", this.#pauseIfFull).on("drain", this.#pauseIfFull)
    this.#pauseIfFull()
  }

  /**
   * Calls `then` when all requests that have arrived completely have been answered. Drops a waiting
   * request that is incomplete: the rest of it will not arrive.
   */
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
    // `close` is emitted once; `once` would add a wrapper
    response.on("close", this.#next)
    start()
  }

  readonly #next = (): void => {
    this.#current = undefined
    if (this.unreadBytes > 0) this.#all.onRead(this)
    const next = this.#waiting.shift()
    if (next === undefined) {
      if (this.#onIdle !== undefined) this.#onIdle()
      else if (this.#all.isClosing) this.socket.destroySoon()
      return
    }
    this.#all.pipelined--
    this.#current = next.response
    if (this.#waiting.length === 0) this.socket.resume()
    // let the other connections run first
    setImmediate(() => {
      if (!this.socket.destroyed) this.#start(next)
    })
  }

  readonly #pauseIfFull = (): void =>
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
  /** Number of connections accepted since the start. */
  accepted = 0
  /** Bytes of answers that clients have not read, on all connections together. */
  unreadBytes = 0
  /** Number of waiting pipelined requests, on all connections together. */
  pipelined = 0
  /** True if the server is shutting down: each answer closes its connection. */
  isDraining = false
  /** True if a connection is to be closed as soon as its requests are answered. */
  isClosing = false
  /** Number of destroyed connections and refused answers, by limit. */
  readonly hits = { sendTimeoutMs: 0, unreadBytesMax: 0 }

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits
    server.on("connection", (socket: Socket) => {
      this.accepted++
      this.#open.set(socket, new Connection(socket, this))
      socket.once("close", () => this.#closed(socket))
    })
  }

  /** Number of open connections. */
  get size(): number {
    return this.#open.size
  }

  /** Returns whether a client has not read all of its answer. */
  get hasUnread(): boolean {
    return this.#unread.size > 0
  }

  get(socket: Socket): Connection | undefined {
    return this.#open.get(socket)
  }

  /**
   * Returns whether to send an answer of this size: a large one not if too many bytes are unread.
   */
  readonly accepts = (bytes: number): boolean => {
    if (bytes <= largeBytes || this.unreadBytes < this.#limits.unreadBytesMax) return true
    this.hits.unreadBytesMax++
    return false
  }

  /** Call this when an answer has been written. */
  onSent(connection: Connection): void {
    const bytes = connection.socket.writableLength
    if (bytes === 0 || connection.current === undefined) return
    connection.unreadBytes = bytes
    connection.sentAtMs = connection.progressAtMs = performance.now()
    this.unreadBytes += bytes
    this.#unread.add(connection)
  }

  /** Call this when the client has read the answer, or has disconnected. */
  onRead(connection: Connection): void {
    this.unreadBytes -= connection.unreadBytes
    connection.unreadBytes = 0
    this.#unread.delete(connection)
  }

  /**
   * Destroys connections whose clients have not read their answer in time. If too many bytes are
   * unread, also destroys the connections that have read nothing for longest.
   */
  readonly destroyStalled = (nowMs = performance.now()): void => {
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

  /** Destroys connections on which nothing has arrived yet. */
  destroySilent(): void {
    for (const socket of this.#open.keys()) if (socket.bytesRead === 0) socket.destroy()
  }

  destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy()
  }

  /** Calls `then` when there is no open connection. */
  whenEmpty(then: () => void): void {
    if (this.size === 0) then()
    else this.#onEmpty = then
  }

  #destroy(connection: Connection, limit: keyof Connections["hits"]): void {
    this.onRead(connection)
    this.hits[limit]++
    connection.socket.destroy()
  }

  #closed(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection !== undefined) this.onRead(connection)
    this.#open.delete(socket)
    if (this.size === 0) this.#onEmpty?.()
  }
}
