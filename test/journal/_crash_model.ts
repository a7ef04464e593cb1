import { Context, Effect, Layer } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { layer, openMemoryPool } from "../../adapters/memory/mod.ts"
import { LedgerReader, LedgerWriter } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { readFeed } from "./_feed.ts"
import { scriptOf, type Write } from "./_script.ts"

/** Opens memory stores with the same script, as far as it was executed. */
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
    writer: Context.get(services, LedgerWriter),
    store: openMemoryPool()
  }
  const written = { ledger: Context.get(services, Ledger), store: stores.store }
  const writes = (function*(): Generator<Write, void> {
    for (const step of scriptOf(records, seed)) yield* step
  })()
  let next = writes.next()
  const model = {
    stores,
    made: 0,
    /** True if no write is left: a process that begins now has nothing to do. */
    get ended() {
      return next.done === true
    },
    /** Makes the next writes; returns how many there were. */
    make: async (count: number): Promise<number> => {
      for (let made = 0; made < count; made++) {
        if (next.done === true) return made
        await Effect.runPromise(next.value(written))
        next = writes.next()
        model.made++
      }
      return count
    }
  }
  return model
}

/** Returns a function that returns numbers from 0 to 1; the same seed gives the same numbers. */
export function randomOf(seed: string): () => number {
  let state = [...seed].reduce(
    (sum, character) => (sum * 33 + character.charCodeAt(0)) % 2147483647,
    16807
  ) || 1
  return () => (state = state * 16807 % 2147483647) / 2147483647
}

/** Returns the number of acknowledgements in the output of a child. */
export const countOf = (output: string): number => output.split("ack\n").length - 1
