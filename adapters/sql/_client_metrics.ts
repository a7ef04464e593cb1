import { figure, limitHits, type Metric } from "../../core/ports/mod.ts"
import type { ConnectionLimiterStats } from "./_connection_limiter.ts"

interface Bounds {
  readonly role: string
  readonly connections: number
  readonly sharing: number
}

/** What is measured of one pool of connections. */
export const clientMetrics = ({ connections, role, sharing }: Bounds, limiter: () => ConnectionLimiterStats, cancelled: () => number): ReadonlyArray<Metric> => {
  const labels = { client: role }
  return [
    figure("gauge", "rollup_database_connections_max", "Connections that a client opens at most", () => connections, labels),
    figure("gauge", "rollup_database_places", "Statements and transactions that a client lets in at once", () => connections * sharing, labels),
    figure("gauge", "rollup_database_in_use", "Statements and transactions that are under way", () => limiter().inUse, labels),
    figure("gauge", "rollup_database_waiting", "Statements and transactions that wait for a connection", () => limiter().waiting, labels),
    figure("counter", "rollup_database_waits_total", "Statements and transactions that had to wait for a connection", () => limiter().waits, labels),
    figure("counter", "rollup_database_wait_timeouts_total", "Statements and transactions that waited for a connection for too long", () => limiter().timeouts, labels),
    figure("counter", "rollup_database_statement_timeouts_total", "Statements that the database cancelled, or that were given up, since they took longer than they may", cancelled, labels),
    // each client has these limits of its own
    limitHits(() => [
      { labels: { limit: "queueWaitMs", ...labels }, value: limiter().timeouts }, { labels: { limit: "statementTimeoutMs", ...labels }, value: cancelled() }
    ])
  ]
}
