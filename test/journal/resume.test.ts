import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { accountLeaf, merkleTree } from "../../adapters/crypto/mod.ts"
import { journaledStores } from "../../adapters/journal/mod.ts"
import { nodeOver } from "../../app/node/layers.ts"
import { driveOnce, initialHistory, resume, simulate } from "../../app/simulator/mod.ts"
import type { FeedRecord } from "../../core/domain/mod.ts"
import { LedgerReader, PoolStore } from "../../core/ports/mod.ts"
import { Ledger, Pool } from "../../core/use_cases/mod.ts"
import { honest } from "../audit/_stores.ts"
import { withGaps } from "../laws/mod.ts"
import { temporaryDirectory } from "./_directories.ts"

/* A simulated network that continues in another process from the data of a directory. */

const options = {
  seed: "resume",
  users: 14,
  tokens: 2,
  coordinators: 2,
  transactionsPerBlock: 4,
  exitShare: 0.01,
  rollBackPeriodBlocks: 6
}
const newSimulation = () => simulate(options)
const { genesis } = newSimulation()

/** Runs an effect over a node with journaled stores. */
const run = <A, E>(
  directory: string,
  program: Effect.Effect<A, E, Layer.Success<ReturnType<typeof nodeOver>>>
) =>
  Effect.scoped(
    Effect.provide(
      program,
      Layer.fresh(
        Layer.orDie(
          nodeOver(journaledStores({ directory, genesis }), { genesis, verifier: honest })
        )
      )
    )
  )

/** The ids of the pending and forging transactions. */
const unforgedIds = Effect.gen(function*() {
  const pool = yield* PoolStore
  const pending = yield* pool.pendingSince({ beforeMs: Number.MAX_SAFE_INTEGER, limit: 1e6 })
  const forging = yield* pool.inBatches({ state: "fing", from: 0, to: 2 ** 32 - 1 })
  return [...pending, ...forging].map(({ transaction }) => transaction.id)
})

const steps = Effect.fnUntraced(function*(simulation: ReturnType<typeof simulate>, count: number) {
  const records: Array<FeedRecord> = []
  for (let step = 0; step < count; step++) records.push(...yield* driveOnce(simulation))
  return records
})

describe("a simulated network after a restart", () => {
  it.live("continues from its last block: it forges the pending transactions, has correct roots and keeps its users", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const [before, unforged] = yield* run(
        directory,
        Effect.gen(function*() {
          const simulation = newSimulation()
          const ledger = yield* Ledger
          for (const record of initialHistory(simulation, 90)) yield* ledger.applyRecord(record)
          yield* steps(simulation, 8)
          return [yield* (yield* LedgerReader).snapshotId, yield* unforgedIds] as const
        })
      )
      assert.isAbove(unforged.length, 1)
      for (const restart of [1, 2]) {
        yield* run(
          directory,
          Effect.gen(function*() {
            const reader = yield* LedgerReader
            const restored = yield* reader.snapshotId
            if (restart === 1) assert.deepStrictEqual(restored, before)
            const simulation = newSimulation()
            yield* resume(simulation)
            assert.strictEqual(
              simulation.transactionCount(),
              (yield* reader.list("transactions", { filters: {}, limit: 1 })).counts.totalItems
            )
            assert.strictEqual(simulation.demoAccounts().length, 2)
            const records = yield* steps(simulation, 14)
            assert.isTrue(records.some(({ kind }) => kind === "rollBack"))
            const snapshotId = yield* reader.snapshotId
            assert.isAbove(
              Number(snapshotId.ethereumBlockNum),
              Number(restored.ethereumBlockNum) + 3
            )
            const { items: accounts } = yield* reader.list("accounts", { filters: {}, limit: 2000 })
            const { items: [batch] } = yield* reader.list("batches", {
              filters: {},
              limit: 1,
              order: "DESC"
            })
            assert.strictEqual(
              batch!.stateRoot,
              merkleTree(
                accounts.map(({ account }) => ({
                  index: account.index,
                  leaf: accountLeaf(account)
                }))
              ).root
            )
            // the users have the same keys as before, so their transactions are forged
            const pool = yield* Pool
            const states = yield* Effect.forEach(
              unforged,
              (id) =>
                Effect.map(pool.transaction(id), (transaction) => transaction?.state ?? "removed")
            )
            assert.isAbove(
              states.filter((state) => state === "fged").length,
              unforged.length / 2,
              String(states)
            )
            const forged = records.flatMap((record) =>
              record.kind === "block" ? (record.block.batches ?? []).flatMap(({ l2 }) => l2) : []
            )
            assert.isAbove(forged.length, 15)
          })
        )
      }
    })))

  it.live("continues from a feed that leaves out empty blocks, also after a rollback into a gap", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const records = withGaps(genesis, initialHistory(newSimulation(), 90), "resume")
      const gap = records.flatMap((record) =>
        record.kind === "block" && record.block.previous !== undefined
          ? [{ ...record.block.previous, next: record.block.number }]
          : []
      ).findLast(({ next, number }) => next > number + 1n)!
      const last = yield* run(
        directory,
        Effect.gen(function*() {
          const ledger = yield* Ledger
          for (const record of records) yield* ledger.applyRecord(record)
          return (yield* ledger.rollBack(gap.next - 1n)).lastBlock
        })
      )
      assert.deepInclude(last, { number: gap.number, hash: gap.hash })
      yield* run(
        directory,
        Effect.gen(function*() {
          const simulation = newSimulation()
          yield* resume(simulation)
          const continued = yield* steps(simulation, 8)
          const first = continued.find((record) => record.kind === "block")!
          assert.deepInclude(first.kind === "block" && first.block, {
            number: last.number + 1n,
            parentHash: last.hash
          })
        })
      )
    })))

  it.live("that was killed before its first batch creates no account twice", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const first = newSimulation().next()
      assert(first.kind === "block")
      const { batches: _batches, ...block } = first.block
      yield* run(
        directory,
        Effect.flatMap(Ledger, (ledger) => ledger.applyRecord({ kind: "block", block }))
      )
      yield* run(
        directory,
        Effect.gen(function*() {
          const simulation = newSimulation()
          yield* resume(simulation)
          assert.deepStrictEqual(simulation.demoAccounts(), [])
          const ledger = yield* Ledger
          for (const record of initialHistory(simulation, 60)) yield* ledger.applyRecord(record)
          assert.deepStrictEqual(simulation.demoAccounts().map(({ tokenId }) => tokenId), [0, 1])
        })
      )
    })))

  it.live("that was killed before its history was complete completes it", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* run(
        directory,
        Effect.gen(function*() {
          const ledger = yield* Ledger
          for (const record of initialHistory(newSimulation(), 25)) {
            yield* ledger.applyRecord(record)
          }
        })
      )
      yield* run(
        directory,
        Effect.gen(function*() {
          const simulation = newSimulation()
          yield* resume(simulation)
          const ledger = yield* Ledger
          for (const record of initialHistory(simulation, 90)) yield* ledger.applyRecord(record)
          assert.isAtLeast(
            (yield* (yield* LedgerReader).list("transactions", { filters: {}, limit: 1 })).counts
              .totalItems,
            90
          )
          const records = yield* steps(simulation, 4)
          assert.isAtLeast(records.length, 4)
        })
      )
    })))
})
