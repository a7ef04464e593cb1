import { Redacted, Result } from "effect"
import { connect, type Socket } from "node:net"
import { DatabaseError } from "./failure.ts"

/** The location of a database, without credentials. */
export interface ServerAddress {
  readonly host: string
  readonly port: number
  readonly database: string
}

/**
 * Returns the address in a URL, read as the driver reads it: parameters take precedence over the
 * other parts. Fails with the reason "url" if the driver would not accept the URL: the error of the
 * driver looks like that of a server that may answer later.
 */
export const serverAddress = (
  url: Redacted.Redacted
): Result.Result<ServerAddress, DatabaseError> => {
  try {
    const { hostname, pathname, port, protocol, searchParams, username } = new URL(
      Redacted.value(url)
    )
    if (protocol !== "postgres:" && protocol !== "postgresql:") return Result.fail(unreadable)
    const last = (name: string) => searchParams.getAll(name).at(-1)
    const portNumber = Number(last("port") ?? (port === "" ? 5432 : port))
    const user = last("user") ??
      (decodeURIComponent(username) || process.env["USER"] || process.env["USERNAME"])
    if (user === undefined || user === "") return Result.fail(withoutUser)
    const mode = last("sslmode")
    if (mode !== undefined && !sslModes.has(mode)) return Result.fail(unknownMode(mode))
    const timeout = Number(last("connect_timeout") ?? 0)
    if (!(Number.isInteger(timeout) && timeout >= 0)) return Result.fail(unreadable)
    if (!(Number.isInteger(portNumber) && portNumber > 0 && portNumber < 65536)) {
      return Result.fail(unreadable)
    }
    return Result.succeed({
      host: last("host") ??
        (hostname === "" ? "localhost" : decodeURIComponent(hostname.replace(/^\[(.*)\]$/u, "$1"))),
      port: portNumber,
      database: last("dbname") ?? (decodeURIComponent(pathname.slice(1)) || user)
    })
  } catch {
    // the error of `URL` quotes the URL with the password, so it is not the cause
    return Result.fail(unreadable)
  }
}

/** Returns the address as text for messages. */
export const addressText = ({ database, host, port }: ServerAddress): string =>
  `PostgreSQL at ${host.includes(":") ? `[${host}]` : host}:${port}, database "${database}"`

/**
 * Opens a socket that is destroyed after `silenceMs` without data in either direction; 0 disables
 * it. A server that is cut off sends nothing, so its statements would wait until the operating
 * system stops resending. An idle connection is closed as well, and opened again by the next
 * statement.
 */
export const openSocket = ({ host, port }: ServerAddress, silenceMs: number): Socket => {
  const socket = host.startsWith("/")
    ? connect({ path: `${host}/.s.PGSQL.${port}` })
    // a statement is one write, so Nagle's algorithm would only delay it
    : connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 15_000 })
  return socket.setTimeout(
    silenceMs,
    () => socket.destroy(new Error(`The server has been silent for ${silenceMs} ms`))
  )
}

const unreadable = new DatabaseError({
  reason: "url",
  message:
    "The URL of the database is invalid: expected one such as postgresql://user:password@host:5432/database"
})
const sslModes: ReadonlySet<string> = new Set([
  "disable",
  "allow",
  "prefer",
  "require",
  "verify-ca",
  "verify-full"
])
const unknownMode = (mode: string): DatabaseError =>
  new DatabaseError({
    reason: "url",
    message: `The URL of the database has sslmode=${mode.slice(0, 50)}, expected one of ${
      [...sslModes].join(", ")
    }: correct it`
  })
const withoutUser = new DatabaseError({
  reason: "url",
  message:
    "Neither the URL of the database nor the variable USER sets a user: expected a URL such as postgresql://user:password@host:5432/database"
})
