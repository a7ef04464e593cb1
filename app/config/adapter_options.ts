import type { Redacted } from "effect"
import type { Mount } from "../../adapters/http/mod.ts"
import type { DatabaseOptions } from "../../adapters/sql/mod.ts"
import { earlier, later } from "../../core/mod.ts"
import type { ResolvedOptions } from "./setting.ts"
import type * as settings from "./settings.ts"

/** How a database is spoken to, of which the settings know the address beside. */
export type ConnectionOptions = Omit<DatabaseOptions, "url">

export const connectionOptions = (
  { connectionsMax, connectTimeoutMs, idleTransactionMs, queueWaitMs, statementTimeoutMs }:
    ResolvedOptions<
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

/** Where the revisions are served that are not off. */
export const mountsOf = (
  { earlierPath, laterPath }: { readonly earlierPath: string; readonly laterPath: string }
): ReadonlyArray<Mount> =>
  [{ path: laterPath, revision: later }, { path: earlierPath, revision: earlier }].filter((
    { path }
  ) => path !== "off")
