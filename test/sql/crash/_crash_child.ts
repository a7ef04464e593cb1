/*
 * Writes a script into a database until it is killed, and prints each acknowledged write.
 *
 *     node _crash_child.ts URL FEED SEED
 *
 * Its input says how many writes of the script are in the database already; then it begins.
 */
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { flushCompileCache } from "node:module"
import { keccak256 } from "../../../adapters/hashing/mod.ts"
import { sqlStores } from "../../../adapters/sql/mod.ts"
import { PoolStore, StoreFailure } from "../../../core/ports/mod.ts"
import { Ledger } from "../../../core/use_cases/mod.ts"
import { readFeed } from "../../journal/_feed.ts"
import { writeScript } from "../../journal/_write_script.ts"

const [url, feed, seed] = process.argv.slice(2) as [string, string, string]
const records = readFeed(readFileSync(feed, "utf8"))
const { genesis } = records
const stores = sqlStores({
  url: Redacted.make(url),
  genesis,
  maxConnections: 5,
  lease: { termMs: 300, heartbeatMs: 60, waits: true }
})

// saves the compiled modules for the next process, because this one is killed
flushCompileCache()
const [writeCount] = await once(process.stdin, "data")
process.stdin.unref()
await Effect.runPromise(
  Effect.scoped(Effect.gen(function*() {
    const services = yield* Layer.build(
      Ledger.layer(genesis, keccak256).pipe(Layer.provideMerge(stores))
    )
    const written = {
      ledger: Context.get(services, Ledger),
      store: Context.get(services, PoolStore)
    }
    yield* writeScript(written, { records, seed, writeCount: Number(writeCount), concurrency: 1 })
  })).pipe(Effect.provide(Logger.layer([])))
).catch((error: unknown) => {
  // the database was down for longer than a write is retried, so the outcome of the write is
  // unknown
  process.exitCode = error instanceof StoreFailure && error.retry ? 3 : 1
  if (process.exitCode === 1) console.error(error)
})
