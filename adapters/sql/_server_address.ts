import { Redacted, Result } from "effect"
import { DatabaseError } from "./database_error.ts"

/** Where a database is, without what opens it. */
export interface ServerAddress {
  readonly host: string
  readonly port: number
  readonly database: string
}

/** Reads a URL as the driver does: parameters win over the place that they have in other URLs. */
export const serverAddress = (url: Redacted.Redacted): Result.Result<ServerAddress, DatabaseError> => {
  try {
    const { hostname, pathname, port, protocol, searchParams, username } = new URL(Redacted.value(url))
    if (protocol !== "postgres:" && protocol !== "postgresql:") return Result.fail(unreadable)
    const last = (name: string) => searchParams.getAll(name).at(-1)
    const portNumber = Number(last("port") ?? (port === "" ? 5432 : port))
    if (!(Number.isInteger(portNumber) && portNumber > 0 && portNumber < 65536)) return Result.fail(unreadable)
    return Result.succeed({
      host: last("host") ?? (hostname === "" ? "localhost" : decodeURIComponent(hostname.replace(/^\[(.*)\]$/u, "$1"))),
      port: portNumber,
      database: last("dbname") ?? (decodeURIComponent(pathname.slice(1)) || last("user") || decodeURIComponent(username) || "postgres")
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
  reason: "url", message: "The URL of the database cannot be read, expected one like postgresql://user:password@host:5432/database: correct it"
})
