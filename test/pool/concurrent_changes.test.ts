/*
 * Concurrent changes: while a signature is verified, between two reads of the ledger, and before a
 * result is written.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { PostedTransaction } from "../../core/domain/mod.ts"
import { PoolStore } from "../../core/ports/mod.ts"
import { Pool, Submission } from "../../core/use_cases/mod.ts"
import {
  bareLedger,
  batchOf,
  nodeLayer,
  type NodeOverrides,
  openChain,
  ownerOf,
  postedOf,
  transfer,
  type VerificationCounts
} from "./_node.ts"

/** Returns the outcome of a post: whether it was stored, or why not. */
const outcomeOf = <E extends { readonly _tag: string; readonly message: string }, R>(
  submitting: Effect.Effect<{ readonly stored: boolean }, E, R>
) => Effect.match(submitting, { onSuccess: ({ stored }) => stored, onFailure: ({ _tag }) => _tag })
const submit = (posted: PostedTransaction) =>
  outcomeOf(Effect.flatMap(Submission, (submission) => submission.submitTransaction(posted)))

describe("while a signature is verified", () => {
  const limits = { pendingMax: 3, pendingPerAccountMax: 2 }
  /** Posts others while the first one is verified. */
  const during = <R>(
    others: ReadonlyArray<PostedTransaction>,
    first: PostedTransaction,
    verified: VerificationCounts
  ) =>
    Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      verified.hook = Effect.suspend(() => {
        delete verified.hook
        return Effect.orDie(
          Effect.forEach(others, (posted) => submission.submitTransaction(posted), {
            discard: true
          })
        ) as Effect.Effect<void, never, R>
      }) as Effect.Effect<void>
      return yield* outcomeOf(submission.submitTransaction(first))
    })
  const stories = [
    { others: [postedOf()], outcome: false },
    { others: [postedOf({ toAccountIndex: 258 })], outcome: "SubmissionConflict" },
    { others: [postedOf({ nonce: 1n })], outcome: true },
    { others: [postedOf({ nonce: 1n }), postedOf({ nonce: 2n })], outcome: "PoolFull" },
    {
      others: [257, 258, 259].map((fromAccountIndex) =>
        postedOf({ fromAccountIndex, toAccountIndex: 256 })
      ),
      outcome: "PoolFull"
    }
  ]
  for (const { others, outcome } of stories) {
    it.effect(`${others.length} other posts ${outcome === true ? "leave room" : outcome === false ? "are the same" : `lead to ${outcome}`}`, () => {
      const verified: VerificationCounts = { count: 0 }
      return Effect.gen(function*() {
        assert.strictEqual(yield* during(others, postedOf(), verified), outcome)
      }).pipe(Effect.provide(nodeLayer(limits, verified)))
    })
  }

  it.effect("nothing is verified that is known, or that there is no room for", () => {
    const verified: VerificationCounts = { count: 0 }
    return Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      for (const posted of [postedOf(), postedOf({ nonce: 1n })]) yield* submit(posted)
      assert.strictEqual(verified.count, 2)
      assert.deepStrictEqual([yield* submit(postedOf()), yield* submit(postedOf({ nonce: 2n }))], [
        false,
        "PoolFull"
      ])
      yield* submit(postedOf({ fromAccountIndex: 257 }))
      assert.strictEqual(yield* submit(postedOf({ fromAccountIndex: 258 })), "PoolFull")
      yield* submission.submitAuthorization(ownerOf(7))
      assert.strictEqual(verified.count, 4)
      assert.isFalse(yield* outcomeOf(submission.submitAuthorization(ownerOf(7))))
      assert.strictEqual(verified.count, 4)
    }).pipe(Effect.provide(nodeLayer(limits, verified)))
  })

  it.effect("the first authorization of an address stays", () => {
    const verified: VerificationCounts = { count: 0 }
    return Effect.gen(function*() {
      const [submission, store] = [yield* Submission, yield* PoolStore]
      const [one, other] = [ownerOf(7), { ...ownerOf(7), publicKey: ownerOf(3).publicKey }]
      verified.hook = Effect.asVoid(
        store.addAuthorization({ ...one, timestampMs: 0 })
      ) as Effect.Effect<void>
      assert.strictEqual(
        yield* outcomeOf(submission.submitAuthorization(other)),
        "SubmissionConflict"
      )
      const again = ownerOf(8)
      verified.hook = Effect.asVoid(
        store.addAuthorization({ ...again, timestampMs: 0 })
      ) as Effect.Effect<void>
      assert.isFalse(yield* outcomeOf(submission.submitAuthorization(again)))
    }).pipe(Effect.provide(nodeLayer({}, verified)))
  })
})

describe("a reconciliation starts again", () => {
  /** Makes one of the following reconciliations fail as if another one came first. */
  const overtaken: { once: boolean } = { once: false }
  /** Hides a row of the ledger from one read, after a number of reads. */
  const gone: { name: string | null; after: number } = { name: null, after: 0 }
  const overrides: NodeOverrides = {
    pool: (store) => ({
      reconcile: (step, atMs) =>
        Effect.suspend(() => {
          if (!overtaken.once) return store.reconcile(step, atMs)
          overtaken.once = false
          return Effect.succeed(null)
        })
    }),
    reader: (reader) => ({
      find: (name, key) =>
        Effect.map(reader.find(name, key), (found) => {
          if (name !== gone.name || gone.after-- > 0) return found
          gone.name = null
          return { ...found, item: null }
        })
    })
  }
  const begin = Effect.gen(function*() {
    overtaken.once = false
    Object.assign(gone, { name: null, after: 0 })
    const chain = yield* openChain
    const [pool, store] = [yield* Pool, yield* PoolStore]
    const ledger = yield* bareLedger
    const batchNum = Effect.map(
      store.reconciledBatchesBelow({ batchNum: 100, limit: 1 }),
      ([mark]) => mark?.batchNum
    )
    return { chain, pool, store, ledger, batchNum }
  })
  const goesBackFor = (name: string, after = 0) => () => void Object.assign(gone, { name, after })
  const each = [
    () => {
      overtaken.once = true
    },
    goesBackFor("batch"),
    goesBackFor("fullBatch")
  ]
  const expectNothingLeft = () => assert.deepStrictEqual([overtaken.once, gone.name], [false, null])

  it.effect("if another one came first, or the ledger was rolled back between two reads", () =>
    Effect.gen(function*() {
      const { batchNum, chain, ledger, pool } = yield* begin
      let next = 3
      // an empty pool
      for (const disturb of [...each.slice(0, 2), goesBackFor("batch", 1)]) {
        yield* ledger.applyBlock(chain.grow({ batches: [batchOf(next, {})] }))
        disturb()
        assert.deepStrictEqual([yield* pool.reconcile, yield* batchNum], [[], next++])
        expectNothingLeft()
      }
      const posted = postedOf()
      yield* submit(posted)
      // a pool with transactions
      for (const disturb of each) {
        const block = chain.grow({ batches: [batchOf(next, { l2: [transfer] })] })
        yield* ledger.applyBlock(block)
        disturb()
        assert.deepStrictEqual([yield* pool.reconcile, yield* batchNum], [[posted.id], next])
        expectNothingLeft()
        yield* ledger.rollBack(chain.cut(1).toBlock)
        if (disturb !== each[2]) disturb()
        assert.deepStrictEqual([yield* pool.reconcile, yield* batchNum], [[posted.id], next - 1])
        expectNothingLeft()
      }
    }).pipe(Effect.provide(nodeLayer({}, undefined, overrides))))

  it.effect("also if the pool meets the ledger for the first time", () =>
    Effect.gen(function*() {
      const { batchNum, pool, store } = yield* begin
      for (const disturb of each.slice(0, 2)) {
        const [mark] = yield* store.reconciledBatchesBelow({ batchNum: 100, limit: 1 })
        yield* store.reconcile({ from: mark!, to: null, changes: [] }, 0)
        disturb()
        assert.deepStrictEqual([yield* pool.reconcile, yield* batchNum], [[], 2])
        expectNothingLeft()
      }
    }).pipe(Effect.provide(nodeLayer({}, undefined, overrides))))

  it.effect("also for transactions that a coordinator releases", () =>
    Effect.gen(function*() {
      const { pool } = yield* begin
      const posted = postedOf()
      yield* submit(posted)
      yield* pool.startForging([posted.id], 3)
      overtaken.once = true
      assert.deepStrictEqual(yield* pool.rollBack(2), [posted.id])
      expectNothingLeft()
    }).pipe(Effect.provide(nodeLayer({}, undefined, overrides))))

  it.effect("and writes nothing of a batch that was rolled back in the meantime", () => {
    const hook: { now?: Effect.Effect<unknown> } = {}
    const steps: Array<number | null | undefined> = []
    return Effect.gen(function*() {
      const { chain, ledger, pool } = yield* begin
      const [posted, other] = [postedOf(), postedOf({ fromAccountIndex: 257, toAccountIndex: 256 })]
      yield* submit(posted)
      yield* submit(other)
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(3, {})] }))
      yield* pool.reconcile
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(4, { l2: [transfer] })] }))
      steps.length = 0
      hook.now = Effect.orDie(Effect.gen(function*() {
        yield* ledger.rollBack(chain.cut(2).toBlock)
        yield* ledger.applyBlock(
          chain.grow({
            batches: [
              batchOf(3, { l2: [{ ...transfer, fromAccountIndex: 257, toAccountIndex: 256 }] })
            ]
          })
        )
      }))
      const fiber = yield* Effect.forkChild(pool.reconcile)
      assert.deepStrictEqual(yield* Fiber.join(fiber), [other.id])
      // back to the last common batch before anything forward
      assert.deepStrictEqual(steps, [2, 3])
      assert.deepStrictEqual([
        (yield* pool.transaction(posted.id))?.state,
        (yield* pool.transaction(other.id))?.state
      ], ["pend", "fged"])
    }).pipe(Effect.provide(nodeLayer({}, undefined, {
      pool: (store) => ({
        pendingBelow: (nonces) =>
          Effect.suspend(() => {
            const now = hook.now ?? Effect.void
            delete hook.now
            return Effect.andThen(now, store.pendingBelow(nonces))
          }),
        reconcile: (step, atMs) =>
          Effect.tap(store.reconcile(step, atMs), () =>
            Effect.sync(() => {
              if (step.from !== step.to && step.from?.batchNum !== step.to?.batchNum) {
                steps.push(step.to?.batchNum)
              }
            }))
      })
    })))
  })
})
