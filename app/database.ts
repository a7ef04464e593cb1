import type { Redacted } from "effect"
import type { DatabaseOptions } from "../adapters/sql/mod.ts"
import type { settings, Settled } from "./config/mod.ts"

/** How a database is spoken to, of which the settings know the address beside. */
export type ConnectionOptions = Omit<DatabaseOptions, "url">

export const connectionOptions = (
  { connectionsMax, connectTimeoutMs, idleTransactionMs, queueWaitMs, statementTimeoutMs }: Settled<
    typeof settings.connections
  >
): ConnectionOptions => ({
  maxConnections: connectionsMax,
  connectTimeoutMs,
  idleTransactionMs,
  queueWaitMs,
  statementTimeoutMs
})

/** The address of a database, by commands that were not begun without one. */
export const databaseOf = (url: Redacted.Redacted | undefined): Redacted.Redacted => {
  if (url === undefined) throw new Error("No database is named")
  return url
}
