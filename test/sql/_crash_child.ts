/*
 * Writes a script into a database until it is killed, and says after each write that it was acknowledged.
 *
 *     node _crash_child.ts URL FEED SEED
 *
 * It begins when its input tells how many writes of the script are there already.
 */
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { flushCompileCache } from "node:module"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { sqlStores } from "../../adapters/sql/mod.ts"
import { PoolStore, StoreFailure } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { readFeed } from "../journal/_feed.ts"
import { writeScript } from "../journal/_write_script.ts"

const [url, feed, seed] = process.argv.slice(2) as [string, string, string]
const records = readFeed(readFileSync(feed, "utf8"))
const { genesis } = records
const stores = sqlStores({
  url: Redacted.make(url),
  genesis,
  maxConnections: 5,
  lease: { termMs: 300, heartbeatMs: 60, waits: true }
})

// most of the time of one goes into reading the program: the next one finds it compiled, though this one is killed
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
  // the database was away for longer than a write is tried: nobody here knows what became of the write
  process.exitCode = error instanceof StoreFailure && error.retry ? 3 : 1
  if (process.exitCode === 1) console.error(error)
})
