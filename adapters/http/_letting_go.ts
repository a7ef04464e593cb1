import { Effect } from "effect"
import type { Server } from "node:http"
import { Server as NetServer } from "node:net"
import type { Lent } from "./_slow_readers.ts"

/** How a server parts from its clients. */
export interface LettingGo {
  /** Its connections. */
  readonly open: ReadonlySet<Lent>
  /** How long a connection on which nothing is asked stays, for a request that is on its way; 0 closes it at once. */
  readonly idleMs: number
  /** After so long what has not ended is cut off. */
  readonly boundMs: number
}

/** How often it is looked whether answers have left. */
const lookMs = 20

/**
 * Ends a server: it takes no more connections, each answer asks its client to close, and who asks nothing is let go. Where others go on
 * serving its port no request has to be lost: new connections are theirs from now on, and idle ones stay for a while, since to close them at
 * once, as Node does, would lose what clients are sending on them.
 */
export const letGo = (server: Server, { boundMs, idleMs, open }: LettingGo): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (!server.listening) return resume(Effect.void)
    server.prependListener("request", (_, response) => void response.setHeader("connection", "close"))
    let isIdleOver = false
    for (const { _httpMessage: begun } of open) {
      if (begun == null) continue
      if (!begun.headersSent) begun.setHeader("connection", "close")
      // it has said already that the connection stays
      else begun.once("finish", () => setImmediate(() => isIdleOver && server.closeIdleConnections()))
    }
    const closeIdle = () => {
      // Node takes for idle whose answer has ended, whether or not it was read
      for (const socket of open) if (socket.writableLength > 0) return void (idle = setTimeout(closeIdle, lookMs))
      isIdleOver = true
      server.closeIdleConnections()
      // Node takes who has connected and said nothing, as browsers do in advance, for somebody who is about to
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    }
    let idle = idleMs === 0 ? undefined : setTimeout(closeIdle, idleMs)
    const bound = setTimeout(() => server.closeAllConnections(), boundMs)
    NetServer.prototype.close.call(server, () => {
      clearTimeout(idle)
      clearTimeout(bound)
      resume(Effect.void)
    })
    if (idleMs === 0) closeIdle()
  })
