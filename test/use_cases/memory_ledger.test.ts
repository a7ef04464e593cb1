import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { layer } from "../../adapters/memory/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { brokenBatches, brokenExits, brokenTransactions } from "./_broken_batches.ts"
import { block104, block105, block106, blockOf, chain, forcedExit } from "./_chain.ts"
import { genesis, hashOf } from "./_network.ts"

const over = (opened: GenesisFeed) =>
  Ledger.layer(opened, keccak256).pipe(Layer.provideMerge(layer(opened)))

/** Everything that readers return of accounts, exits, transactions, batches and the network. */
const everything = Effect.gen(function*() {
  const reader = yield* LedgerReader
  const query = { limit: 2049, order: "ASC", filters: {} } as const
  return {
    snapshotId: yield* reader.snapshotId,
    state: yield* reader.state,
    accounts: (yield* reader.list("accounts", query)).items,
    exits: (yield* reader.list("exits", query)).items,
    transactions: (yield* reader.list("transactions", query)).items,
    batches: (yield* reader.list("batches", query)).items
  }
})

describe("Ledger over the memory store", () => {
  it.effect("a refused block leaves no trace", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      yield* Effect.forEach(chain.slice(0, 3), ledger.applyBlock)
      const before = yield* everything
      for (
        const { block, fact, prepare } of [...brokenBatches, ...brokenTransactions, ...brokenExits]
      ) {
        if (block.number !== 104n || prepare !== undefined) continue
        assert.isTrue(Result.isFailure(yield* Effect.result(ledger.applyBlock(block))), fact)
      }
      assert.deepStrictEqual(yield* everything, before)
      assert.isTrue((yield* ledger.applyBlock(block104)).applied)
    }).pipe(Effect.provide(over(genesis))))

  it.effect("the same block twice has no effect", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      yield* Effect.forEach(chain, ledger.applyBlock)
      const before = yield* everything
      for (const block of chain) {
        assert.deepStrictEqual(yield* ledger.applyBlock(block), {
          applied: false,
          snapshotId: before.snapshotId
        })
      }
      assert.deepStrictEqual(yield* everything, before)
    }).pipe(Effect.provide(over(genesis))))

  it.effect("after a rollback another branch is accepted, and queued transactions are forged again", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      yield* Effect.forEach(chain, ledger.applyBlock)
      assert.strictEqual((yield* ledger.rollBack(103n)).lastBatchNum, 2)
      const empty = { ...blockOf(104n), hash: hashOf(9n) }
      const later = {
        ...block104,
        number: 105n,
        hash: hashOf(10n),
        parentHash: empty.hash,
        timestampMs: 105_000
      }
      yield* Effect.forEach([empty, later], ledger.applyBlock)
      const { transactions } = yield* everything
      const forged = transactions.find(({ transaction }) => transaction.type === "ForceExit")
      assert.deepStrictEqual([forged?.transaction.batchNum, forged?.transaction.amount], [
        3,
        forcedExit.amount
      ])
      assert.isTrue(Result.isFailure(yield* Effect.result(ledger.applyBlock(block105))))
      assert.isTrue(Result.isFailure(yield* Effect.result(ledger.applyBlock(block106))))
    }).pipe(Effect.provide(over(genesis))))

  it.effect("a simulated network with rollbacks is accepted record by record (seed 7)", () => {
    const simulation = simulate({ seed: 7, rollBackPeriodBlocks: 10, placeholderRoots: true })
    return Effect.gen(function*() {
      const ledger = yield* Ledger
      for (let i = 0; i < 120; i++) yield* ledger.applyRecord(simulation.next())
      const { item } = yield* (yield* LedgerReader).find("account", 256)
      assert.isNotNull(item)
    }).pipe(Effect.provide(over(simulation.genesis)))
  })
})
