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
      const since = new WeakMap<object, number>()
      return setInterval(() => {
        const nowMs = performance.now()
        for (const socket of open) {
          const response = socket._httpMessage ?? undefined
          // an answer that is not there yet is not the client's fault
          const leaving = response === undefined ? unsent.of(socket) : response.writableEnded ? response : undefined
          if (leaving === undefined) continue
          const seenMs = since.get(leaving)
          if (seenMs === undefined) since.set(leaving, nowMs)
          else if (nowMs - seenMs > sendTimeoutMs) {
            socket.destroy()
            cut()
          }
        }
      }, Math.max(10, Math.min(1000, sendTimeoutMs / 4))).unref()
    }),
    (timer) => Effect.sync(() => clearInterval(timer))
  ))
