/*
 * Writes a script into a directory until it is killed, and says after each write that it was acknowledged.
 *
 *     node _crash_child.ts DIRECTORY FEED SEED DONE
 *
 * DONE writes of the script are there already.
 */
import { Context, Effect, Layer } from "effect"
import { readFileSync, writeSync } from "node:fs"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { journaledStores } from "../../adapters/journal/mod.ts"
import { PoolStore } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { readFeed } from "./_feed.ts"
import { scriptOf } from "./_script.ts"

const [directory, feed, seed, done] = process.argv.slice(2) as [string, string, string, string]
const records = readFeed(readFileSync(feed, "utf8"))
const { genesis } = records

await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const services = yield* Layer.build(Ledger.layer(genesis, keccak256).pipe(Layer.provideMerge(journaledStores({ directory, genesis }))))
  const stores = { ledger: Context.get(services, Ledger), store: Context.get(services, PoolStore) }
  writeSync(1, "open\n")
  let made = 0
  for (const step of scriptOf(records, seed)) {
    const left = step.slice(Math.max(0, Number(done) - made))
    made += step.length
    yield* Effect.forEach(left, (write) => Effect.andThen(write(stores), Effect.sync(() => writeSync(1, "ack\n"))), { concurrency: "unbounded" })
  }
  writeSync(1, "end\n")
})))
