import type { Socket } from "node:net"

/** Answers that Node has no response of, and that their clients have not read yet. */
export class Unsent {
  readonly #leaving = new Map<Socket, object>()

  /** Stands for the answer that leaves by a connection, if one does. */
  of(socket: Socket): object | undefined {
    return this.#leaving.get(socket)
  }

  /** To be told after each such answer was written, to a connection that had none. While it leaves, the connection is not idle, however slow its client is. */
  wrote(socket: Socket): void {
    if (socket.writableLength === 0) return
    const { timeout } = socket
    this.#leaving.set(socket, {})
    socket.setTimeout(0)
    const end = () => {
      socket.off("close", end)
      // what is asked by then has no time, and Node gives it one afterwards
      if (this.#leaving.delete(socket) && isUnasked(socket) && timeout !== undefined) socket.setTimeout(timeout)
    }
    socket.once("close", end).write("", end)
  }
}

const isUnasked = (socket: Socket & { readonly _httpMessage?: unknown }): boolean => socket._httpMessage == null
