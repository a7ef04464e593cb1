import { Redacted, Result } from "effect"
import { DatabaseError } from "./failure.ts"

/** Where a database is, without what opens it. */
export interface ServerAddress {
  readonly host: string
  readonly port: number
  readonly database: string
}

/**
 * Reads a URL as the driver does: parameters win over the place that they have in other URLs. Refuses what the driver refuses, since its
 * refusal looks like that of a server which may answer later.
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
    if (user === undefined || user === "") return Result.fail(nameless)
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
    // what `URL` throws quotes the URL, and so the password
    return Result.fail(unreadable)
  }
}

/** For messages. */
export const toldAddress = ({ database, host, port }: ServerAddress): string =>
  `PostgreSQL at ${host.includes(":") ? `[${host}]` : host}:${port}, database "${database}"`

const unreadable = new DatabaseError({
  reason: "url",
  message:
    "The URL of the database cannot be read, expected one like postgresql://user:password@host:5432/database: correct it"
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
const nameless = new DatabaseError({
  reason: "url",
  message:
    "The URL of the database names no user, and neither does USER in the environment, expected one like postgresql://user:password@host:5432/database: name the user"
})
