import { counter, gauge, limitHits, type Series } from "../../../core/ports/mod.ts"
import type { ConnectionLimiterStats } from "./_session_pool.ts"

interface ClientBounds {
  readonly role: string
  readonly connections: number
  readonly sharing: number
}

/**
 * Returns the metrics of one client. `limiter` and `cancelled` are called at each scrape;
 * `cancelled` counts the statements that exceeded the statement timeout.
 */
export const clientMetrics = (
  { connections, role, sharing }: ClientBounds,
  limiter: () => ConnectionLimiterStats,
  cancelled: () => number
): ReadonlyArray<Series> => {
  const labels = { client: role }
  return [
    gauge(
      "rollup_database_connections_max",
      "Maximum number of connections of a client",
      () => connections,
      labels
    ),
    gauge(
      "rollup_database_places",
      "Maximum number of concurrent statements and transactions of a client",
      () => connections * sharing,
      labels
    ),
    gauge(
      "rollup_database_in_use",
      "Statements and transactions that are running",
      () => limiter().inUse,
      labels
    ),
    gauge(
      "rollup_database_waiting",
      "Statements and transactions that wait for a connection",
      () => limiter().waiting,
      labels
    ),
    counter(
      "rollup_database_waits_total",
      "Statements and transactions that waited for a connection",
      () => limiter().waits,
      labels
    ),
    counter(
      "rollup_database_wait_timeouts_total",
      "Statements and transactions that failed since no connection became free in time",
      () => limiter().timeouts,
      labels
    ),
    counter(
      "rollup_database_statement_timeouts_total",
      "Statements that were cancelled or abandoned since they exceeded the statement timeout",
      cancelled,
      labels
    ),
    // these limits apply to each client separately
    limitHits("queueWaitMs", () => limiter().timeouts, labels),
    limitHits("statementTimeoutMs", cancelled, labels)
  ]
}
