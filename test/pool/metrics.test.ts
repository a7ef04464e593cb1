/* The metrics of a pool and of posts. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import type { PostedAuthorization, PostedTransaction } from "../../core/domain/mod.ts"
import { SignatureVerifier, VerifierBusy } from "../../core/ports/mod.ts"
import { Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"
import { openWatching } from "../_watching.ts"
import {
  batchOfSelection,
  nodeLayer,
  openChain,
  ownerOf,
  postedOf,
  wrongEthSignature,
  wrongSignature
} from "./_node.ts"
import { genesis } from "./_subject.ts"

const post = (parts: Partial<PostedTransaction>) =>
  Effect.ignore(Effect.flatMap(Submission, (each) => each.submitTransaction(postedOf(parts))))
const authorize = (parts: Partial<PostedAuthorization>) =>
  Effect.ignore(
    Effect.flatMap(Submission, (each) => each.submitAuthorization({ ...ownerOf(7), ...parts }))
  )

describe("a node counts", () => {
  it.effect("what changed the state of transactions, and why selections skipped some", () => {
    const watching = openWatching()
    return Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, ledger] = [yield* Pool, yield* Ledger]
      const transfers = [0, 1, 2, 3].map((place) =>
        postedOf({ fromAccountIndex: 256 + place, toAccountIndex: 256, fee: 130 - place })
      )
      const ids = transfers.map(({ id }) => id)
      for (const each of [...transfers, { nonce: 2n, fee: 1 }]) yield* post(each)
      yield* pool.select({ maxTransactions: 1 })
      yield* pool.select({ maxTransactions: 9 })
      yield* pool.startForging(ids.slice(0, 3), 3)
      yield* pool.doneForging(ids.slice(0, 2), 3)
      yield* pool.rollBack(2)
      yield* pool.invalidate([{ id: ids[3]!, reason: "" }], 3)
      yield* pool.invalidateOldNonces([{ index: 257, nonce: 1n }], 3)
      yield* pool.remove([ids[2]!], "Test")
      yield* ledger.applyBlock(
        chain.grow({ batches: [batchOfSelection(yield* pool.select({ maxTransactions: 9 }))] })
      )
      yield* TestClock.adjust(2)
      yield* pool.purge({ ttlMs: 1, currentBatch: 3, safetyPeriodBatches: 0, capacity: 9 })
      assert.deepStrictEqual(yield* watching.above0("rollup_pool_moved_total"), {
        startForging: 3,
        doneForging: 2,
        rollBack: 3,
        invalidate: 1,
        invalidateOldNonces: 1,
        remove: 1,
        reconcile: 1,
        purge: 1
      })
      assert.deepStrictEqual(yield* watching.above0("rollup_pool_passed_over_total"), {
        noAvailableSlots: 1,
        notCurrentNonce: 2
      })
    }).pipe(Effect.provide(nodeLayer().pipe(Layer.provide(watching.layer))))
  })

  it.effect("the outcome of each post, and refusals because of a limit", () => {
    const watching = openWatching()
    const limits = { pendingMax: 3, pendingPerAccountMax: 2 }
    return Effect.gen(function*() {
      yield* openChain
      for (
        const parts of [
          {},
          {},
          {},
          { signature: "1" },
          { signature: wrongSignature, fromAccountIndex: 257 },
          { nonce: 1n },
          { nonce: 2n },
          { fromAccountIndex: 257 },
          { fromAccountIndex: 258 },
          { fromAccountIndex: 258 }
        ]
      ) yield* post(parts)
      const { address, publicKey } = ownerOf(3)
      for (const parts of [{}, {}, { publicKey }, { address, signature: wrongEthSignature }]) {
        yield* authorize(parts)
      }
      assert.deepStrictEqual(yield* watching.above0("rollup_submissions_total"), {
        "transaction stored": 3,
        "transaction known": 2,
        "transaction conflict": 1,
        "transaction refused": 1,
        "transaction poolFull": 3,
        "authorization stored": 1,
        "authorization known": 1,
        "authorization conflict": 1,
        "authorization refused": 1
      })
      assert.deepStrictEqual(yield* watching.above0("rollup_limit_hits_total"), {
        pendingMax: 2,
        pendingPerAccountMax: 1
      })
      assert.deepStrictEqual(yield* watching.above0("rollup_pool_pending_max"), { "": 3 })
    }).pipe(Effect.provide(nodeLayer(limits).pipe(Layer.provide(watching.layer))))
  })

  it.effect("posts that it had no capacity for and posts without an answer", () => {
    const watching = openWatching()
    const busy = Layer.succeed(SignatureVerifier, {
      transaction: () => Effect.fail(new VerifierBusy({ retryAfterSeconds: 1 })),
      authorization: () => Effect.die("gone")
    })
    return Effect.gen(function*() {
      yield* openChain
      const submission = Context.get(
        yield* Layer.build(
          Layer.fresh(Submission.layer({ network: genesis.network, keccak256 })).pipe(
            Layer.provide(Layer.merge(busy, watching.layer))
          )
        ),
        Submission
      )
      yield* Effect.exit(submission.submitTransaction(postedOf()))
      yield* Effect.exit(submission.submitAuthorization(ownerOf(7)))
      assert.deepStrictEqual(yield* watching.above0("rollup_submissions_total"), {
        "transaction busy": 1,
        "authorization unanswered": 1
      })
      assert.deepStrictEqual(yield* watching.above0("rollup_pool_pending_max"), { "": 100_000 })
    }).pipe(Effect.scoped, Effect.provide(nodeLayer()))
  })
})
