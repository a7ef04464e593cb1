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
import { showFigure } from "./_figures.ts"
import { inDirectory, mebibytes, postNext, seconds, withStores } from "./_stores.ts"
import { largeBlocks } from "./sql/_sql_ledger.ts"

/**
 * The cost of durability: blocks and posts with a journal ÷ those in memory alone, and the time of
 * a start. The disk determines the first two; blocks have 500 transactions, posts have no
 * signature, and concurrent posts share a commit.
 */
export const benchJournal = (transactions: number): Promise<void> =>
  inDirectory(async (directory) => {
    const simulation = simulate(largeBlocks)
    const { genesis } = simulation
    let [memoryMs, journalMs] = [0, 0]
    await withStores(directory, genesis, ({ ledger }) =>
      Effect.gen(function*() {
        const inMemory = Layer.provide(Ledger.layer(genesis, keccak256), layer(genesis))
        const bare = Context.get(yield* Layer.build(Layer.fresh(inMemory)), Ledger)
        while (simulation.transactionCount() < transactions) {
          const record = simulation.next()
          memoryMs += yield* timed(bare, record)
          journalMs += yield* timed(ledger, record)
        }
      }))
    showFigure({
      name: "blocks with a directory ÷ in memory",
      measured: (memoryMs / journalMs).toFixed(2),
      conditions: `${Math.round(transactions / journalMs * 1000)} transactions/s, ${
        mebibytes(statSync(join(directory, "journal.sqlite")).size)
      } for ${transactions}`
    })
    const replayMs = await withStores(
      directory,
      genesis,
      ({ journal }) => Effect.succeed(journal.replayReport.durationMs)
    )
    showFigure({
      name: "start without a checkpoint ÷ applying the same",
      measured: (replayMs / memoryMs).toFixed(2),
      conditions: `${seconds(replayMs)} for ${transactions} transactions`
    })
    await benchCheckpoints(directory, simulation)
    const inMemory = await Effect.runPromise(postRates(openMemoryPool()))
    const durable = await withStores(
      join(directory, "posts"),
      genesis,
      ({ pool }) => postRates(pool)
    )
    showFigure({
      name: "posts with a directory ÷ in memory, one by one, 64 at once",
      measured: durable.map((rate, at) => (rate / inMemory[at]!).toFixed(3)).join(", "),
      conditions: `${durable.map(Math.round).join(" and ")} posts/s`
    })
  })

const timed = Effect.fnUntraced(function*(ledger: Ledger["Service"], record: FeedRecord) {
  const started = performance.now()
  yield* ledger.applyRecord(record)
  return performance.now() - started
})

/** Returns the posts per second, one after the other and 64 at once. */
const postRates = Effect.fnUntraced(function*(pool: PoolStore["Service"]) {
  const rate = Effect.fnUntraced(function*(count: number, concurrency: number) {
    const started = performance.now()
    const posts = Array.from({ length: count }, () => postNext(pool))
    yield* Effect.all(posts, { concurrency, discard: true })
    return count / (performance.now() - started) * 1000
  })
  yield* rate(200, 1)
  return [yield* rate(1000, 1), yield* rate(6400, 64)]
})
