/* `maxNumBatch`: the last batch that may forge a transaction. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { layer, poolLayer } from "../../adapters/memory/mod.ts"
import { derivePublicKey, inlineVerifier, signTransaction } from "../../adapters/crypto/mod.ts"
import { LedgerReader, PoolStore } from "../../core/ports/mod.ts"
import { Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"
import { batchOf, nodeLayer, openChain, postedOf } from "./_node.ts"
import { genesis } from "./_subject.ts"

/** The opening of the chain has two batches, so the next batch is 3. */
const opened = Effect.gen(function*() {
  const chain = yield* openChain
  const ledger = yield* Ledger
  return {
    submission: yield* Submission,
    pool: yield* Pool,
    store: yield* PoolStore,
    forgeEmpty: (batchNum: number) =>
      ledger.applyBlock(chain.grow({ batches: [batchOf(batchNum, {})] })),
    rollBack: () => ledger.rollBack(chain.cut(1).toBlock)
  }
})

describe("the last batch of a transaction", () => {
  it.effect("is stored with it; 0 means no limit", () =>
    Effect.gen(function*() {
      const { store, submission } = yield* opened
      const [limited, unlimited] = [
        postedOf({ maxNumBatch: 3 }),
        postedOf({ nonce: 1n, maxNumBatch: 0 })
      ]
      yield* submission.submitTransaction(limited)
      yield* submission.submitTransaction(unlimited)
      assert.strictEqual((yield* store.transaction(limited.id))!.maxNumBatch, 3)
      assert.isFalse("maxNumBatch" in (yield* store.transaction(unlimited.id))!)
      assert.deepStrictEqual(yield* submission.submitTransaction(limited), {
        id: limited.id,
        stored: false
      })
      const conflict = yield* Effect.flip(
        submission.submitTransaction({ ...limited, maxNumBatch: 4 })
      )
      assert.strictEqual(conflict._tag, "SubmissionConflict")
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("is refused if it is forged or is not a batch number", () =>
    Effect.gen(function*() {
      const { submission } = yield* opened
      for (const maxNumBatch of [2, -1, 1.5, 2 ** 32]) {
        const refused = yield* Effect.flip(
          submission.submitTransaction(postedOf({ maxNumBatch }))
        )
        assert(refused._tag === "SubmissionRefused")
        assert.deepStrictEqual(refused.faults.map(({ parameter }) => parameter), ["/maxNumBatch"])
      }
      yield* submission.submitTransaction(postedOf({ maxNumBatch: 2 ** 32 - 1 }))
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("bounds selection and forging; after it the transaction is invalid until a rollback, and purged after the safety period", () =>
    Effect.gen(function*() {
      const { forgeEmpty, pool, rollBack, store, submission } = yield* opened
      const { id } = yield* submission.submitTransaction(postedOf({ maxNumBatch: 3 }))
      const select = Effect.map(
        pool.select({ maxTransactions: 9 }),
        ({ skippedTransactions, transactions }) => [
          transactions.length,
          ...skippedTransactions.map(({ code, reason }) => `${code} ${reason}`)
        ]
      )
      assert.deepStrictEqual(yield* select, [1])
      assert.deepStrictEqual(yield* pool.startForging([id], 4), [])
      yield* forgeEmpty(3)
      assert.deepStrictEqual(yield* select, [0])
      assert.deepInclude((yield* pool.transitions(id)).at(-1), {
        to: "invl",
        batchNum: 3,
        reason: "Batch 3 is the last one that may forge it"
      })
      // a rollback makes it possible again
      yield* rollBack()
      assert.strictEqual((yield* pool.transaction(id))?.state, "pend")
      assert.deepStrictEqual(yield* select, [1])
      yield* forgeEmpty(3)
      yield* forgeEmpty(4)
      const purge = Effect.flatMap(
        store.counts,
        ({ pend }) =>
          pool.purge({ ttlMs: 1e9, currentBatch: 9, safetyPeriodBatches: 1, capacity: pend })
      )
      assert.deepStrictEqual(yield* purge, [])
      yield* forgeEmpty(5)
      const other = yield* submission.submitTransaction(postedOf({ nonce: 1n }))
      assert.deepStrictEqual(
        yield* pool.purge({ ttlMs: 1e9, currentBatch: 9, safetyPeriodBatches: 1, capacity: 1 }),
        [id]
      )
      assert.isNotNull(yield* store.transaction(other.id))
      assert.match((yield* store.transitions(id)).at(-1)!.reason, /^Purged: invalid since batch 3/u)
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("is part of the signed content", () => {
    const privateKey = new Uint8Array(32).fill(1)
    const publicKey = derivePublicKey(privateKey)
    const stores = Layer.mergeAll(
      Layer.effect(
        LedgerReader,
        Effect.map(LedgerReader, (reader) => ({
          ...reader,
          accountsAndTokens: (of: Parameters<typeof reader.accountsAndTokens>[0]) =>
            Effect.map(reader.accountsAndTokens(of), (found) => ({
              ...found,
              accounts: found.accounts.map((each) => each && { ...each, publicKey })
            }))
        }))
      ).pipe(Layer.provideMerge(layer(genesis))),
      poolLayer,
      inlineVerifier(genesis.network)
    )
    const { network } = genesis
    return Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      const unsigned = postedOf({ maxNumBatch: 7 })
      const signature = signTransaction(privateKey, unsigned, network.chainId)
      for (const maxNumBatch of [0, 8]) {
        const refused = yield* Effect.flip(
          submission.submitTransaction({ ...unsigned, signature, maxNumBatch })
        )
        assert(refused._tag === "SubmissionRefused")
        assert.strictEqual(refused.faults[0].parameter, "/signature")
      }
      assert.isTrue((yield* submission.submitTransaction({ ...unsigned, signature })).stored)
    }).pipe(Effect.provide(
      Layer.merge(Ledger.layer(genesis, keccak256), Submission.layer({ network, keccak256 })).pipe(
        Layer.provide(stores)
      )
    ))
  })
})
