import { Effect } from "effect"
import type { Server } from "node:http"
import type { Connections } from "./_connections.ts"

export interface ShutdownOptions {
  /** How long the port and connections without a request stay open, for requests that were sent before the clients learned of the shutdown. */
  readonly drainMs: number
  /** After this time all connections are destroyed. */
  readonly timeoutMs: number
}

/** Interval at which the answers that clients have not read are looked at. */
const pollMs = 20

/**
 * Shuts a server down without losing a request that was sent before: each answer from now on says
 * `Connection: close`, the port closes when no client is connected or `drainMs` has passed, and then
 * connections close when their requests are answered.
 */
export const shutDown = (server: Server, connections: Connections, { drainMs, timeoutMs }: ShutdownOptions): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (!server.listening) return resume(Effect.void)
    connections.isDraining = true
    let drain: NodeJS.Timeout | undefined
    const close = () => {
      clearTimeout(drain)
      if (connections.isClosing) return
      connections.isClosing = true
      server.close(() => {
        clearTimeout(bound)
        resume(Effect.void)
      })
      // the server has closed the idle ones, except those that have sent nothing
      connections.destroySilent()
    }
    const bound = setTimeout(() => {
      close()
      connections.destroyAll()
    }, timeoutMs)
    // to Node 24 a connection is idle that has an answer its client has not read, and `close` would cut it
    const closeOnceRead = () => connections.hasUnread ? void (drain = setTimeout(closeOnceRead, pollMs)) : close()
    // after a stall of the event loop timers come before the requests that have arrived: one turn accepts connections, the next reads them
    const drained = () => setImmediate(() => setImmediate(closeOnceRead))
    drain = setTimeout(drained, Math.min(drainMs, timeoutMs / 2))
    connections.whenEmpty(close)
  })
