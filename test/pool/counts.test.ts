/*
 * The metrics of a pool, its messages if it refuses transactions, and how the ledger notifies it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { openMemoryPool } from "../../adapters/memory/mod.ts"
import { openMonitor } from "../../adapters/metrics/mod.ts"
import type { PostedTransaction } from "../../core/domain/mod.ts"
import { Monitor, PoolStore, SignatureVerifier, VerifierBusy } from "../../core/ports/mod.ts"
import { learnAuthorizations, Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"
import {
  batchOf,
  batchOfSelection,
  nodeLayer,
  openChain,
  ownerOf,
  postedOf,
  wrongEthSignature,
  wrongSignature
} from "./_node.ts"
import { genesis } from "./_subject.ts"

/** Reads metrics. */
class Watching {
  readonly #monitor = openMonitor()
  readonly layer = Layer.succeed(Monitor, this.#monitor)

  /** Returns the samples of a name that are not 0, by the values of their labels. */
  above0(name: string): Effect.Effect<{ readonly [labels: string]: number }> {
    return Effect.map(
      this.#monitor.exportContext,
      (context) =>
        Object.fromEntries(
          Metric.snapshotUnsafe(context).flatMap(({ attributes, id, state, type }) => {
            const value = type === "Counter"
              ? Number(state.count)
              : type === "Gauge"
              ? Number(state.value)
              : 0
            return id === name && value > 0
              ? [[Object.values(attributes ?? {}).join(" "), value]]
              : []
          })
        )
    )
  }
}

const submit = (...all: ReadonlyArray<PostedTransaction>) =>
  Effect.flatMap(
    Submission,
    (submission) =>
      Effect.forEach(all, (posted) =>
        Effect.map(submission.submitTransaction(posted), ({ id }) => id))
  )

describe("a node counts", () => {
  it.effect("what changed the state of transactions, and why selections skipped some", () => {
    const watching = new Watching()
    return Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, ledger] = [yield* Pool, yield* Ledger]
      const transfers = [0, 1, 2, 3].map((place) =>
        postedOf({ fromAccountIndex: 256 + place, toAccountIndex: 256, fee: 130 - place })
      )
      const ids = yield* submit(...transfers, postedOf({ nonce: 2n, fee: 1 }))
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
    const watching = new Watching()
    const posted = postedOf()
    return Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      yield* submit(posted, posted, posted)
      const ownersOf = (parts: Partial<ReturnType<typeof ownerOf>>) =>
        submission.submitAuthorization({ ...ownerOf(7), ...parts })
      const tagOf = <A, E extends { readonly _tag: string }>(failing: Effect.Effect<A, E>) =>
        Effect.map(Effect.flip(failing), ({ _tag }) => _tag)
      assert.strictEqual(
        yield* tagOf(submission.submitTransaction({ ...posted, signature: "1" })),
        "SubmissionConflict"
      )
      assert.strictEqual(
        yield* tagOf(
          submission.submitTransaction(
            postedOf({ signature: wrongSignature, fromAccountIndex: 257 })
          )
        ),
        "SubmissionRefused"
      )
      yield* submit(postedOf({ nonce: 1n }))
      const tooMany = yield* Effect.flip(submission.submitTransaction(postedOf({ nonce: 2n })))
      assert.strictEqual(
        tooMany.message,
        "Account 256 has 2 pending transactions, the maximum: try again in 7 seconds"
      )
      yield* submit(postedOf({ fromAccountIndex: 257 }))
      for (let again = 0; again < 2; again++) {
        const full = yield* Effect.flip(
          submission.submitTransaction(postedOf({ fromAccountIndex: 258 }))
        )
        assert.strictEqual(
          full.message,
          "The pool has 3 pending transactions, the maximum: try again in 7 seconds"
        )
      }
      yield* ownersOf({})
      yield* ownersOf({})
      assert.strictEqual(
        yield* tagOf(ownersOf({ publicKey: ownerOf(3).publicKey })),
        "SubmissionConflict"
      )
      assert.strictEqual(
        yield* tagOf(ownersOf({ address: ownerOf(3).address, signature: wrongEthSignature })),
        "SubmissionRefused"
      )
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
    }).pipe(
      Effect.provide(
        nodeLayer({ pendingMax: 3, pendingPerAccountMax: 2, retryAfterSeconds: 7 }).pipe(
          Layer.provide(watching.layer)
        )
      )
    )
  })

  it.effect("posts that it had no capacity for and posts without an answer", () => {
    const watching = new Watching()
    const busy = Layer.succeed(SignatureVerifier, {
      transaction: () => Effect.fail(new VerifierBusy({ retryAfterSeconds: 1 })),
      authorization: () => Effect.die("gone")
    })
    return Effect.gen(function*() {
      yield* openChain
      const submission = yield* Effect.map(
        Layer.build(
          Layer.fresh(Submission.layer({ network: genesis.network, keccak256 })).pipe(
            Layer.provide(busy),
            Layer.provide(watching.layer)
          )
        ),
        (services) => Context.get(services, Submission)
      )
      assert.strictEqual(
        (yield* Effect.flip(submission.submitTransaction(postedOf())))._tag,
        "VerifierBusy"
      )
      yield* Effect.exit(submission.submitAuthorization(ownerOf(7)))
      assert.deepStrictEqual(yield* watching.above0("rollup_submissions_total"), {
        "transaction busy": 1,
        "authorization unanswered": 1
      })
      assert.deepStrictEqual(yield* watching.above0("rollup_pool_pending_max"), { "": 100_000 })
    }).pipe(Effect.scoped, Effect.provide(nodeLayer()))
  })
})

describe("a refusal", () => {
  it.effect("lists all violations, or the only one", () =>
    Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      const messageOf = (parts: Partial<PostedTransaction>) =>
        Effect.map(Effect.flip(submission.submitTransaction(postedOf(parts))), ({ message }) =>
          message)
      assert.strictEqual(
        yield* messageOf({ type: "Exit" }),
        "Property type has the value Exit: expected Transfer, the type for this destination"
      )
      assert.strictEqual(
        yield* messageOf({ fromAccountIndex: 999, toAccountIndex: 998 }),
        "2 violations: Property fromAccountIndex has the value 999: expected an account that exists; Property toAccountIndex has the value 998: expected an account that exists"
      )
      yield* submission.submitTransaction(postedOf())
      assert.match(
        yield* messageOf({ toAccountIndex: 258 }),
        /^Property id has the value 0x02\w+: expected an unused id or the stored transaction: another transaction is stored under this id$/u
      )
    }).pipe(Effect.provide(nodeLayer())))
})

describe("a ledger with a pool", () => {
  it.effect("reconciles it with every record that changes the ledger", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, ledger, store] = [yield* Pool, yield* Ledger, yield* PoolStore]
      const [id] = yield* submit(postedOf())
      const stateOf = Effect.map(pool.transaction(id!), (found) => found?.state)
      const block = chain.grow({
        batches: [{
          ...batchOfSelection(yield* pool.select({ maxTransactions: 9 })),
          l1Coordinator: [{ tokenId: 0, ...ownerOf(7) }]
        }]
      })
      assert.deepInclude(yield* ledger.applyRecord({ kind: "block", block }), {
        kind: "block",
        applied: true
      })
      assert.strictEqual(yield* stateOf, "fged")
      assert.strictEqual(
        (yield* store.authorization(ownerOf(7).address))?.publicKey,
        ownerOf(7).publicKey
      )
      assert.deepInclude(
        yield* ledger.applyRecord({ kind: "rollBack", toBlock: block.number - 1n }),
        { kind: "rollBack" }
      )
      assert.strictEqual(yield* stateOf, "pend")
      const prices = [{ tokenId: 0, priceUSD: 3, timeMs: block.timestampMs }]
      assert.deepInclude(yield* ledger.applyRecord({ kind: "prices", prices }), { kind: "prices" })
      assert.isAbove((yield* ledger.setPrices(prices)).version, 0)
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("verifies an authorization when there is capacity, and never a known one", () =>
    Effect.gen(function*() {
      const store = openMemoryPool()
      let calls = 0
      const authorization = () =>
        Effect.suspend(() =>
          ++calls < 3
            ? Effect.fail(new VerifierBusy({ retryAfterSeconds: 2 }))
            : Effect.succeed(true)
        )
      const learn = learnAuthorizations({
        store,
        verifier: { transaction: () => Effect.succeed(false), authorization }
      })
      const block = {
        batches: [
          batchOf(3, {
            l1Coordinator: [{ tokenId: 0, ...ownerOf(7) }, { tokenId: 1, ...ownerOf(7) }]
          })
        ]
      } as never
      const learning = yield* Effect.forkChild(learn(block))
      yield* TestClock.adjust(3999)
      assert.deepStrictEqual([calls, yield* store.authorization(ownerOf(7).address)], [2, null])
      yield* TestClock.adjust(1)
      yield* Fiber.join(learning)
      assert.deepStrictEqual([calls, (yield* store.authorization(ownerOf(7).address))?.publicKey], [
        3,
        ownerOf(7).publicKey
      ])
      yield* learn({} as never)
      assert.strictEqual(calls, 3)
    }))
})
