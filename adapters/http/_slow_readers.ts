import { Effect, type Scope } from "effect"
import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Unsent } from "./_unsent.ts"

/** Node tells its response on a connection, and nobody else does. */
export interface Lent extends Socket {
  readonly _httpMessage?: ServerResponse | null
}

/** The connections of a server, while they are there. */
export const openConnections = (server: Server): ReadonlySet<Lent> => {
  const open = new Set<Lent>()
  server.on("connection", (socket: Lent) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket))
  })
  return open
}

/**
 * Cuts off clients that do not read their answers, and with them the memory that the answers take. One look at all connections now and
 * then: a timer for each answer would cost more than a small one.
 *
 * @param cut is told of each one
 */
export const cutSlowReaders = (open: ReadonlySet<Lent>, unsent: Unsent, sendTimeoutMs: number, cut: () => void): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.sync(() => {
      const since = new WeakMap<ServerResponse, number>()
      return setInterval(() => {
        const nowMs = performance.now()
        const late = (socket: Lent) => {
          socket.destroy()
          cut()
        }
        for (const socket of unsent.olderThan(sendTimeoutMs)) late(socket)
        for (const socket of open) {
          const response = socket._httpMessage
          // an answer that is not there yet is not the client's fault
          if (response == null || !response.writableEnded) continue
          const seenMs = since.get(response)
          if (seenMs === undefined) since.set(response, nowMs)
          else if (nowMs - seenMs > sendTimeoutMs) late(socket)
        }
      }, Math.max(10, Math.min(1000, sendTimeoutMs / 4))).unref()
    }),
    (timer) => Effect.sync(() => clearInterval(timer))
  ))
