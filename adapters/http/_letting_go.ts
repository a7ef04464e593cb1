import { Effect } from "effect"
import type { Server } from "node:http"
import { Server as NetServer } from "node:net"

/** How a server parts from its clients. */
export interface LettingGo {
  /** How long a connection on which nothing is asked stays, for a request that is on its way. */
  readonly idleMs: number
  /** After so long what has not ended is cut off. */
  readonly boundMs: number
}

/**
 * Ends a server without losing a request, where others go on serving its port: new connections are theirs from now on, and each answer
 * asks its client to close. To close idle connections at once, as Node does, would lose what clients are sending on them.
 */
export const letGo = (server: Server, { boundMs, idleMs }: LettingGo): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (!server.listening) return resume(Effect.void)
    server.prependListener("request", (_, response) => void response.setHeader("connection", "close"))
    const idle = setTimeout(() => server.closeIdleConnections(), idleMs)
    const bound = setTimeout(() => server.closeAllConnections(), boundMs)
    NetServer.prototype.close.call(server, () => {
      clearTimeout(idle)
      clearTimeout(bound)
      resume(Effect.void)
    })
  })
