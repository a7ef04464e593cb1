import type { Redacted } from "effect"
import type { Mount } from "../../adapters/http/mod.ts"
import type { DatabaseOptions } from "../../adapters/sql/mod.ts"
import { revisionList, type RevisionName } from "../../core/mod.ts"
import type { ResolvedOptions } from "./setting.ts"
import type * as settings from "./settings/mod.ts"
import type { RevisionPaths } from "./settings/mod.ts"

/** Options of database connections, except the URL. */
export type ConnectionOptions = Omit<DatabaseOptions, "url">

/**
 * Converts settings to connection options. `waitSeconds` is the default of `--database-wait`: by
 * default a command does not wait.
 */
export const connectionOptions = (
  {
    connectionsMax,
    connectTimeoutMs,
    idleTransactionMs,
    queueWaitMs,
    statementTimeoutMs,
    waitSeconds: waitSecondsSet
  }: ResolvedOptions<typeof settings.connections>,
  { waitSeconds = 0 }: { readonly waitSeconds?: number } = {}
): ConnectionOptions => ({
  maxConnections: connectionsMax,
  connectTimeoutMs,
  idleTransactionMs,
  queueWaitMs,
  statementTimeoutMs,
  waitMs: 1000 * (waitSecondsSet ?? waitSeconds)
})

/** Returns the database URL. Throws if it is missing, which the rules of the commands prevent. */
export const databaseOf = (url: Redacted.Redacted | undefined): Redacted.Redacted => {
  if (url === undefined) throw new Error("No database is named")
  return url
}

/** Returns the path of each enabled revision. */
export const mountsOf = (paths: RevisionPaths): ReadonlyArray<Mount> =>
  revisionList.flatMap((revision) => {
    const path = paths[`${revision.name as RevisionName}Path`]
    return path === "off" ? [] : [{ path, revision }]
  })
