import { counter, gauge, limitHits, type Series } from "../../../core/ports/mod.ts"
import type { ConnectionLimiterStats } from "./_connection_limiter.ts"

interface Bounds {
  readonly role: string
  readonly connections: number
  readonly sharing: number
}

/** Returns the metrics of one pool of connections. */
export const clientMetrics = (
  { connections, role, sharing }: Bounds,
  limiter: () => ConnectionLimiterStats,
  cancelled: () => number
): ReadonlyArray<Series> => {
  const labels = { client: role }
  return [
    gauge(
      "rollup_database_connections_max",
      "Connections that a client opens at most",
      () => connections,
      labels
    ),
    gauge(
      "rollup_database_places",
      "Statements and transactions that a client lets in at once",
      () => connections * sharing,
      labels
    ),
    gauge(
      "rollup_database_in_use",
      "Statements and transactions that are under way",
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
      "Statements and transactions that had to wait for a connection",
      () => limiter().waits,
      labels
    ),
    counter(
      "rollup_database_wait_timeouts_total",
      "Statements and transactions that waited for a connection for too long",
      () => limiter().timeouts,
      labels
    ),
    counter(
      "rollup_database_statement_timeouts_total",
      "Statements that the database cancelled, or that were given up, since they took longer than they may",
      cancelled,
      labels
    ),
    // each client has these limits of its own
    limitHits("queueWaitMs", () => limiter().timeouts, labels),
    limitHits("statementTimeoutMs", cancelled, labels)
  ]
}
