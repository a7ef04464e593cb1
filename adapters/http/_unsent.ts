import type { Socket } from "node:net"

/** Answers that Node has no response of, and that their clients have not read yet. */
export class Unsent {
  readonly #since = new Map<Socket, number>()

  get size(): number {
    return this.#since.size
  }

  has(socket: Socket): boolean {
    return this.#since.has(socket)
  }

  /** To be told after each such answer was written, to a connection that had none. While it leaves, the connection is not idle, however slow its client is. */
  wrote(socket: Socket): void {
    if (socket.writableLength === 0) return
    const { timeout } = socket
    this.#since.set(socket, performance.now())
    socket.setTimeout(0)
    const end = () => {
      socket.off("close", end)
      // what is asked by then has no time, and Node gives it one afterwards
      if (this.#since.delete(socket) && isUnasked(socket) && timeout !== undefined) socket.setTimeout(timeout)
    }
    socket.once("close", end).write("", end)
  }

  /** Those that have been there for longer. */
  *olderThan(ms: number): Generator<Socket> {
    const nowMs = performance.now()
    for (const [socket, sinceMs] of this.#since) if (nowMs - sinceMs > ms) yield socket
  }
}

const isUnasked = (socket: Socket & { readonly _httpMessage?: unknown }): boolean => socket._httpMessage == null
