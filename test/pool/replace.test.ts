/* Replacing a pending or invalid transaction. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PoolStore } from "../../core/ports/mod.ts"
import { Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"
import {
  batchOf,
  batchOfSelection,
  nodeLayer,
  openChain,
  postedOf,
  wrongSignature
} from "./_node.ts"

const old = postedOf()
const better = postedOf({ fee: 140 })

describe("replacing a transaction", () => {
  it.effect("removes the old one and adds the new one, once", () =>
    Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      const pool = yield* Pool
      const store = yield* PoolStore
      yield* submission.submitTransaction(old)
      const replace = submission.replaceTransaction(old.id, better)
      assert.deepStrictEqual(yield* replace, { id: better.id, stored: true })
      assert.deepStrictEqual(yield* replace, { id: better.id, stored: false })
      assert.isNull(yield* store.transaction(old.id))
      assert.strictEqual((yield* store.counts).pend, 1)
      assert.strictEqual(
        (yield* pool.transitions(old.id)).at(-1)!.reason,
        `Replaced by transaction ${better.id}`
      )
      const { transactions } = yield* pool.select({ maxTransactions: 9 })
      assert.deepStrictEqual(transactions.map(({ transaction }) => transaction.id), [better.id])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("replaces an invalid one within the limits, and a full pool's pending one", () =>
    Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      const pool = yield* Pool
      yield* submission.submitTransaction(old)
      yield* submission.replaceTransaction(old.id, better)
      yield* pool.invalidate([{ id: better.id, reason: "The host said so" }], 2)
      const other = postedOf({ nonce: 1n })
      yield* submission.submitTransaction(other)
      const third = postedOf({ fee: 150 })
      const full = yield* Effect.flip(submission.replaceTransaction(better.id, third))
      assert.strictEqual(full._tag, "PoolFull")
      yield* pool.remove([other.id], "Room")
      assert.isTrue((yield* submission.replaceTransaction(better.id, third)).stored)
    }).pipe(Effect.provide(nodeLayer({ pendingMax: 1 }))))

  it.effect("refuses another sender or nonce, a wrong signature, and what is not there or is forging", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const submission = yield* Submission
      const pool = yield* Pool
      const store = yield* PoolStore
      const failure = (posted: typeof old, replaced = old.id) =>
        Effect.map(
          Effect.flip(submission.replaceTransaction(replaced, posted)),
          (error) =>
            error._tag === "SubmissionRefused"
              ? error.faults.map(({ parameter }) => parameter).join()
              : error.message
        )
      assert.strictEqual(yield* failure(better), `There is no transaction ${old.id} in the pool`)
      yield* submission.submitTransaction(old)
      assert.strictEqual(yield* failure(postedOf({ nonce: 1n })), "/nonce")
      assert.strictEqual(
        yield* failure(postedOf({ fromAccountIndex: 258, fee: 140 })),
        "/fromAccountIndex"
      )
      assert.strictEqual(yield* failure({ ...better, signature: wrongSignature }), "/signature")
      assert.strictEqual(yield* failure({ ...better, id: old.id }), "/id")
      // the replaced one must have another id
      const sameId = yield* Effect.flip(
        submission.replaceTransaction(old.id, { ...old, toAccountIndex: 258 })
      )
      assert.strictEqual(sameId._tag, "SubmissionConflict")
      const selection = yield* pool.select({ maxTransactions: 9 })
      yield* pool.startForging([old.id], selection.batchNum)
      assert.strictEqual(
        yield* failure(better),
        `Transaction ${old.id} is forging: only a pending or invalid transaction can be replaced`
      )
      yield* (yield* Ledger).applyBlock(chain.grow({ batches: [batchOfSelection(selection)] }))
      assert.strictEqual((yield* store.transaction(old.id))!.state, "fged")
      assert.match(yield* failure(better), /is forged: only/u)
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("of a replacement and a coordinator at the same time, only one succeeds", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const submission = yield* Submission
      const pool = yield* Pool
      const store = yield* PoolStore
      yield* submission.submitTransaction(old)
      const { batchNum } = yield* pool.select({ maxTransactions: 9 })
      yield* submission.replaceTransaction(old.id, better)
      assert.deepStrictEqual(yield* pool.startForging([old.id], batchNum), [])
      // the nonce is used by another node: the replacement becomes invalid like any other
      const { amount, fromAccountIndex, nonce } = old
      yield* (yield* Ledger).applyBlock(chain.grow({
        batches: [batchOf(3, {
          l2: [{ amount, fromAccountIndex, nonce, fee: 0, toAccountIndex: 258 }]
        })]
      }))
      assert.strictEqual((yield* store.transaction(better.id))!.state, "invl")
    }).pipe(Effect.provide(nodeLayer())))
})
