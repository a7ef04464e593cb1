import { connect, type Socket } from "node:net"
import type { ServerAddress } from "./_server_address.ts"

/**
 * A socket that is given up when nothing has come or gone for some time: a server that was cut off says nothing, and its statements
 * would wait for as long as the system tries to send. An idle connection is given up as well, and replaced when it is needed. 0 waits.
 */
export const socketTo = ({ host, port }: ServerAddress, silenceMs: number): Socket => {
  const socket = host.startsWith("/")
    ? connect({ path: `${host}/.s.PGSQL.${port}` })
    // a statement is one write: there is nothing to collect
    : connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 15_000 })
  return socket.setTimeout(
    silenceMs,
    () => socket.destroy(new Error(`The server has been silent for ${silenceMs} ms`))
  )
}
