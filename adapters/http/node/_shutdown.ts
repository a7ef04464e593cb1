import { Effect } from "effect"
import type { Server } from "node:http"
import type { Connections } from "./_connections.ts"
import type { RefusalPacer } from "./_refusal_pacer.ts"

export interface ShutdownOptions {
  /**
   * How long the port and idle connections stay open, for requests that clients send before they
   * learn of the shutdown.
   */
  readonly drainMs: number
  /**
   * All connections are destroyed after this time. The port closes after half of it at the latest.
   */
  readonly timeoutMs: number
}

/** Interval of the checks whether clients have read their answers. */
const pollMs = 20

/**
 * Calls back after the event loop has accepted a waiting connection, if there is one, and has read
 * the data that arrived. After a stall, timers run before both.
 */
const afterArrivals = (then: () => void): void => void setImmediate(() => setImmediate(then))

/**
 * Shuts a server down without losing a request. From now on each answer has `Connection: close`.
 * The port closes as soon as no client is connected, or after `drainMs` once no connection waits to
 * be accepted. Then each connection closes when its requests have been answered.
 */
export const shutDown = (
  server: Server,
  connections: Connections,
  refusals: RefusalPacer,
  { drainMs, timeoutMs }: ShutdownOptions
): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (!server.listening) return resume(Effect.void)
    connections.isDraining = true
    refusals.stop()
    const closesMs = performance.now() + timeoutMs / 2
    let drain: NodeJS.Timeout | undefined
    const close = () => {
      clearTimeout(drain)
      if (connections.isClosing) return
      connections.isClosing = true
      server.close(() => {
        clearTimeout(timeout)
        resume(Effect.void)
      })
      // `server.close` closes idle connections, except those on which nothing has arrived
      connections.destroySilent()
    }
    // Node 24 considers a connection idle while its client reads the answer: `close` would cut it
    const closeOnceRead = () =>
      connections.hasUnread ? void (drain = setTimeout(closeOnceRead, pollMs)) : close()
    // Node accepts one connection in each turn of the event loop: wait for a turn without one
    const closeOnceAccepted = () => {
      const { accepted } = connections
      afterArrivals(() =>
        connections.accepted === accepted || performance.now() >= closesMs
          ? closeOnceRead()
          : closeOnceAccepted()
      )
    }
    const timeout = setTimeout(() => {
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
