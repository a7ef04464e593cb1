import type { Effect } from "effect"
import type { ServeSettings } from "./serve.ts"
import { supervise, workersOf } from "./workers/mod.ts"

/** Has several processes serve what one is told to serve. */
export const superviseServers = ({ database, memory, shutdownTimeoutMs, workers }: ServeSettings): Effect.Effect<never> =>
  supervise({
    workers: workersOf(workers),
    stores: memory ? "memory" : database === undefined ? "directory" : "database",
    // what a process does after its last answer takes a moment too
    drainMaxMs: shutdownTimeoutMs + 5000
  })
