import { Context, Effect, Layer } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { layer, openMemoryPool } from "../../adapters/memory/mod.ts"
import { LedgerHistory, LedgerReader, LedgerWriter } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { readFeed, scriptOf, type Write } from "./_script.ts"

/** Opens stores in memory that apply the writes of a script on demand, to compare with. */
export async function openModel(feed: string, seed: string) {
  const records = readFeed(feed)
  const { genesis } = records
  const services = await Effect.runPromise(
    Effect.scoped(
      Layer.build(
        Layer.fresh(Ledger.layer(genesis, keccak256).pipe(Layer.provideMerge(layer(genesis))))
      )
    )
  )
  const stores = {
    reader: Context.get(services, LedgerReader),
    history: Context.get(services, LedgerHistory),
    writer: Context.get(services, LedgerWriter),
    store: openMemoryPool()
  }
  const target = { ledger: Context.get(services, Ledger), store: stores.store }
  const writes = (function*(): Generator<Write, void> {
    for (const step of scriptOf(records, seed)) yield* step
  })()
  let next = writes.next()
  const model = {
    stores,
    /** Number of writes so far. */
    writeCount: 0,
    /** Whether the script has no more writes. */
    get isFinished() {
      return next.done === true
    },
    /** Applies the next `count` writes. Returns their number, which is smaller at the end. */
    write: async (count: number): Promise<number> => {
      for (let i = 0; i < count; i++) {
        if (next.done === true) return i
        await Effect.runPromise(next.value(target))
        next = writes.next()
        model.writeCount++
      }
      return count
    }
  }
  return model
}

/** Returns the number of acknowledgements in the output of a child. */
export const acknowledgementsIn = (output: string): number => output.split("ack\n").length - 1
