import { Context, Effect, Layer } from "effect"
import { once } from "node:events"
import { readFileSync, writeSync } from "node:fs"
import { flushCompileCache } from "node:module"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { type LedgerWriter, PoolStore } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { readFeed, scriptOf } from "./_script.ts"

/** Prints a line at once. */
export const report = (line: string) => Effect.sync(() => void writeSync(1, `${line}\n`))

/**
 * Writes a script to stores until the process is killed. The arguments of the process are the place
 * of the stores, a feed and a seed. It begins when it reads the number of stored writes of the
 * script from its input; until then it only loads its program. It prints that the stores are open,
 * each acknowledged write, and the end of the script. Sometimes it pauses, so that some kills happen
 * while only the stores themselves are busy. `concurrency` is that of the writes of a step.
 */
export const writeScript = async <E>(
  open: (place: string, genesis: GenesisFeed) => Layer.Layer<LedgerWriter | PoolStore, E>,
  { concurrency }: { readonly concurrency: "unbounded" | 1 }
): Promise<void> => {
  const [place, feed, seed] = process.argv.slice(2) as [string, string, string]
  const records = readFeed(readFileSync(feed, "utf8"))
  const { genesis } = records
  // written now, since a killed process does not write it: the next one starts faster
  flushCompileCache()
  const [writeCount] = await once(process.stdin, "data")
  process.stdin.unref()
  await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const services = yield* Layer.build(
      Ledger.layer(genesis, keccak256).pipe(Layer.provideMerge(open(place, genesis)))
    )
    const target = {
      ledger: Context.get(services, Ledger),
      store: Context.get(services, PoolStore)
    }
    yield* report("open")
    let [position, steps] = [0, 0]
    for (const step of scriptOf(records, seed)) {
      const remaining = step.slice(Math.max(0, Number(writeCount) - position))
      if (remaining.length > 0 && steps++ % 4 === 3) yield* Effect.sleep(steps * 7 % 30)
      position += step.length
      yield* Effect.forEach(
        remaining,
        (write) => Effect.andThen(write(target), report("ack")),
        { concurrency }
      )
    }
    yield* report("end")
  })))
}
