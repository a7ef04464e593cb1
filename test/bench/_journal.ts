import { Context, Effect, Layer } from "effect"
import { statSync } from "node:fs"
import { join } from "node:path"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { layer, openMemoryPool } from "../../adapters/memory/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import type { FeedRecord } from "../../core/domain/mod.ts"
import type { PoolStore } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { benchCheckpoints } from "./_checkpoints.ts"
import { benchStartAfterKill, showStart } from "./_directory_start.ts"
import { showRatio } from "./_figures.ts"
import { median } from "./_load.ts"
import { inDirectory, mebibytes, postNext, seconds, withStores } from "./_stores.ts"
import { network } from "./sql/_sql_ledger.ts"

/** The transactions of the network are measured in so many parts, each of which has a ratio. */
const partsCount = 10

/**
 * The cost of durability: blocks and posts with a journal ÷ those in memory alone, and the time of
 * a start. The disk determines the first two; posts have no signature, and concurrent posts share a
 * commit.
 */
export const benchJournal = async (transactions: number, rounds: number): Promise<void> => {
  await inDirectory(async (directory) => {
    const simulation = simulate(network)
    const { genesis } = simulation
    const parts = Array.from({ length: partsCount }, () => ({ memoryMs: 0, journalMs: 0 }))
    await withStores(directory, genesis, ({ ledger }) =>
      Effect.gen(function*() {
        const inMemory = Layer.provide(Ledger.layer(genesis, keccak256), layer(genesis))
        const bare = Context.get(yield* Layer.build(Layer.fresh(inMemory)), Ledger)
        while (simulation.transactionCount() < transactions) {
          const part = parts[Math.floor(simulation.transactionCount() / transactions * partsCount)]!
          const record = simulation.next()
          part.memoryMs += yield* timed(bare, record)
          part.journalMs += yield* timed(ledger, record)
        }
      }))
    const total = (of: "memoryMs" | "journalMs") => parts.reduce((sum, part) => sum + part[of], 0)
    showRatio({
      name: "blocks with a directory ÷ in memory",
      values: parts.map(({ journalMs, memoryMs }) => memoryMs / journalMs),
      conditions: `each tenth of ${transactions} transactions; ${
        Math.round(transactions / total("journalMs") * 1000)
      } transactions/s, ${mebibytes(statSync(join(directory, "journal.sqlite")).size)}`
    })
    const opened = { directory, options: network, transactions }
    const also = `applying the same in memory ${seconds(total("memoryMs"))}`
    showStart("start without a checkpoint", opened, rounds, also)
    await benchCheckpoints(directory, simulation)
    const after = { ...opened, transactions: simulation.transactionCount() }
    showStart("start right after a checkpoint", after, rounds)
  })
  await benchStartAfterKill(transactions, rounds)
  await inDirectory((directory) => benchDirectoryPosts(directory, rounds))
}

const postKinds = [
  { name: "one by one", count: 1000, concurrency: 1 },
  { name: "64 at once", count: 6400, concurrency: 64 }
]

const benchDirectoryPosts = (directory: string, rounds: number): Promise<void> =>
  withStores(directory, simulate(network).genesis, ({ pool }) =>
    Effect.gen(function*() {
      for (const { concurrency, count, name } of postKinds) {
        const [ratios, rates]: [Array<number>, Array<number>] = [[], []]
        for (let round = -1; round < rounds; round++) {
          const inMemory = yield* postRate(openMemoryPool(), count, concurrency)
          const rate = yield* postRate(pool, count, concurrency)
          if (round < 0) continue
          ratios.push(rate / inMemory)
          rates.push(rate)
        }
        showRatio({
          name: `posts with a directory ÷ in memory, ${name}`,
          values: ratios,
          conditions: `in process; ${Math.round(median(rates).median)} posts/s`
        })
      }
    }))

const timed = Effect.fnUntraced(function*(ledger: Ledger["Service"], record: FeedRecord) {
  const started = performance.now()
  yield* ledger.applyRecord(record)
  return performance.now() - started
})

/** Returns the posts per second. */
const postRate = Effect.fnUntraced(
  function*(pool: PoolStore["Service"], count: number, concurrency: number) {
    const started = performance.now()
    const posts = Array.from({ length: count }, () => postNext(pool))
    yield* Effect.all(posts, { concurrency, discard: true })
    return count / (performance.now() - started) * 1000
  }
)
