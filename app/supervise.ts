import type { Effect } from "effect"
import type { ServeSettings } from "./serve.ts"
import { supervise, workerCount } from "./workers/mod.ts"

/** Runs several processes that serve the interface over one database. */
export const superviseServers = (
  { shutdownTimeoutMs, workers }: ServeSettings
): Effect.Effect<never> =>
  // a worker closes its connections to the database after its last answer
  supervise({ workers: workerCount(workers), drainMaxMs: shutdownTimeoutMs + 5000 })
