import { Context, Effect, Layer, type Scope } from "effect"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { JournalStores, journaledStores } from "../../adapters/journal/mod.ts"
import { layer, openMemoryPool } from "../../adapters/memory/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import type { FeedRecord } from "../../core/domain/mod.ts"
import { benchCheckpoints, transactionOf } from "./_checkpoints.ts"
import { PoolStore } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { ownersOf } from "../laws/pool/_pool_rows.ts"
import { showFigure } from "./_figures.ts"

/**
 * The cost of durability: blocks and posts with a journal ÷ those in memory alone, and the time of
 * a start. The disk determines the first two; blocks have 500 transactions, posts have no
 * signature, and concurrent posts share a commit.
 */
export const benchJournal = async (transactions: number): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), "bench-journal-"))
  try {
    const simulation = simulate({
      seed: "bench",
      users: 100,
      transactionsPerBlock: 500,
      exitShare: 0,
      heavyShare: 0.36,
      rollBackPeriodBlocks: 0,
      placeholderRoots: true
    })
    const { genesis } = simulation
    const ledger = Ledger.layer(genesis, keccak256)
    let [memoryMs, journalMs] = [0, 0]
    await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const journaled = Context.get(
        yield* Layer.build(
          Layer.fresh(
            Layer.provide(
              ledger,
              journaledStores({ directory, genesis, checkpointBytes: Infinity, closingMs: 0 })
            )
          )
        ),
        Ledger
      )
      const bare = Context.get(
        yield* Layer.build(Layer.fresh(Layer.provide(ledger, layer(genesis)))),
        Ledger
      )
      while (simulation.transactionCount() < transactions) {
        const record = simulation.next()
        memoryMs += yield* timed(bare, record)
        journalMs += yield* timed(journaled, record)
      }
    })))
    showFigure({
      name: "blocks with a directory ÷ in memory",
      measured: (memoryMs / journalMs).toFixed(2),
      conditions: `${Math.round(transactions / journalMs * 1000)} transactions/s, ${
        Math.round(statSync(join(directory, "journal.sqlite")).size / 2 ** 20)
      } MiB for ${transactions}`
    })
    const found = await Effect.runPromise(
      Effect.scoped(
        Effect.map(
          Layer.build(Layer.fresh(journaledStores({ directory, genesis, closingMs: 0 }))),
          Context.get(JournalStores)
        )
      )
    )
    showFigure({
      name: "start without a checkpoint ÷ applying the same",
      measured: (found.replayReport.durationMs / memoryMs).toFixed(2),
      conditions: `${
        (found.replayReport.durationMs / 1000).toFixed(1)
      } s for ${transactions} transactions`
    })
    await benchCheckpoints(directory, simulation)
    const memoryPosts = await posts(Effect.sync(openMemoryPool))
    const journalPosts = await posts(
      Effect.map(
        Layer.build(Layer.fresh(journaledStores({ directory: join(directory, "posts"), genesis }))),
        Context.get(PoolStore)
      )
    )
    showFigure({
      name: "posts with a directory ÷ in memory, one by one, 64 at once",
      measured: `${(journalPosts.oneByOne / memoryPosts.oneByOne).toFixed(3)}, ${
        (journalPosts.atOnce / memoryPosts.atOnce).toFixed(3)
      }`,
      conditions: `${Math.round(journalPosts.oneByOne)} and ${
        Math.round(journalPosts.atOnce)
      } posts/s`
    })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const timed = (ledger: Ledger["Service"], record: FeedRecord) =>
  Effect.gen(function*() {
    const started = performance.now()
    yield* ledger.applyRecord(record)
    return performance.now() - started
  })

const unlimited = { pendingMax: Infinity, pendingPerAccountMax: Infinity }

/** Posts per second, one after the other and 64 at once, each into a new pool. */
const posts = <E>(open: Effect.Effect<PoolStore["Service"], E, Scope.Scope>) =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const pool = yield* open
    let number = 0
    const post = Effect.suspend(() =>
      pool.addTransaction(transactionOf(number++), ownersOf(1), unlimited)
    )
    const rate = Effect.fnUntraced(function*(count: number, concurrency: number) {
      const started = performance.now()
      yield* Effect.forEach(Array.from({ length: count }), () => post, {
        concurrency,
        discard: true
      })
      return count / (performance.now() - started) * 1000
    })
    yield* rate(200, 1)
    return { oneByOne: yield* rate(1000, 1), atOnce: yield* rate(6400, 64) }
  })))
