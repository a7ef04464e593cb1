/*
 * Writes a script to a directory until it is killed, and reports each acknowledged write.
 *
 *     node _crash_child.ts DIRECTORY FEED SEED
 *
 * It starts when it reads the number of stored writes of the script from its input. It writes one
 * checkpoint after the other, and reports the start and the end of each.
 */
import { Context, Effect, Layer } from "effect"
import { once } from "node:events"
import { readFileSync, writeSync } from "node:fs"
import { flushCompileCache } from "node:module"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { JournalStores, journaledStores } from "../../adapters/journal/mod.ts"
import { PoolStore } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { readFeed } from "./_feed.ts"
import { writeScript } from "./_write_script.ts"

const [directory, feed, seed] = process.argv.slice(2) as [string, string, string]
const records = readFeed(readFileSync(feed, "utf8"))
const { genesis } = records

// written now, since a killed process does not write it: the next one starts faster
flushCompileCache()
const [writeCount] = await once(process.stdin, "data")
process.stdin.unref()
await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const services = yield* Layer.build(
    Ledger.layer(genesis, keccak256).pipe(
      Layer.provideMerge(journaledStores({ directory, genesis }))
    )
  )
  const { checkpoint } = Context.get(services, JournalStores)
  const report = (line: string) => Effect.sync(() => writeSync(1, `${line}\n`))
  yield* report("checkpoint").pipe(
    Effect.andThen(checkpoint),
    Effect.andThen(report("installed")),
    Effect.andThen(Effect.sleep(2)),
    Effect.forever,
    Effect.forkScoped
  )
  const stores = { ledger: Context.get(services, Ledger), store: Context.get(services, PoolStore) }
  yield* writeScript(stores, {
    records,
    seed,
    writeCount: Number(writeCount),
    concurrency: "unbounded"
  })
})))
