/*
 * Writes a script to a database until it is killed.
 *
 *     node _crash_child.ts URL FEED SEED
 */
import { Layer, Logger, Redacted } from "effect"
import { sqlStores } from "../../../adapters/sql/mod.ts"
import { StoreFailure } from "../../../core/ports/mod.ts"
import { writeScript } from "../../journal/_write_script.ts"

await writeScript((url, genesis) =>
  sqlStores({
    url: Redacted.make(url),
    genesis,
    maxConnections: 5,
    lease: { termMs: 300, heartbeatMs: 60, waits: true }
  }).pipe(Layer.provide(Logger.layer([]))), { concurrency: 1 }).catch((error: unknown) => {
    // the database was down for longer than a write is retried, so the outcome of the write is
    // unknown
    process.exitCode = error instanceof StoreFailure && error.retry ? 3 : 1
    if (process.exitCode === 1) console.error(error)
  })
