import { Effect } from "effect"
import type { Server } from "node:http"
import type { Connections } from "./_connections.ts"

export interface ShutdownOptions {
  /** How long the port and connections without a request stay open, for requests that were sent before the clients learned of the shutdown. */
  readonly drainMs: number
  /** After this time all connections are destroyed; the port closes after half of it. */
  readonly timeoutMs: number
}

/** Interval at which the answers that clients have not read are looked at. */
const pollMs = 20

/** Calls back when the event loop has accepted a connection, if one waits, and read what has arrived: after a stall timers come before both. */
const afterArrivals = (then: () => void): void => void setImmediate(() => setImmediate(then))

/**
 * Shuts a server down without losing a request that was sent before: each answer from now on says
 * `Connection: close`. The port closes when no client is connected, or after `drainMs` when no
 * connection waits to be accepted; then connections close when their requests are answered.
 */
export const shutDown = (
  server: Server,
  connections: Connections,
  { drainMs, timeoutMs }: ShutdownOptions
): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (!server.listening) return resume(Effect.void)
    connections.isDraining = true
    const closesMs = performance.now() + timeoutMs / 2
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
    // to Node 24 a connection is idle that has an answer its client has not read, and `close` would cut it
    const closeOnceRead = () =>
      connections.hasUnread ? void (drain = setTimeout(closeOnceRead, pollMs)) : close()
    // Node accepts one connection in each turn of the event loop
    const closeOnceAccepted = () => {
      const { accepted } = connections
      afterArrivals(() =>
        connections.accepted === accepted || performance.now() >= closesMs
          ? closeOnceRead()
          : closeOnceAccepted()
      )
    }
    const bound = setTimeout(() => {
      close()
      connections.destroyAll()
    }, timeoutMs)
    drain = setTimeout(closeOnceAccepted, Math.min(drainMs, timeoutMs / 2))
    connections.whenEmpty(() =>
      afterArrivals(() => {
        if (connections.size === 0) close()
      })
    )
  })
