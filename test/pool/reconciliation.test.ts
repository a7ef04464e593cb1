/*
 * Transactions that enter the pool while the ledger is ahead of it, or behind it: the state that
 * they get must not outlive the batch that it follows from.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PostedTransaction } from "../../core/domain/mod.ts"
import { PoolStore, StoreFailure } from "../../core/ports/mod.ts"
import { Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"
import { groupOf } from "./_groups.ts"
import {
  bareLedger,
  batchOf,
  nodeLayer,
  type NodeOverrides,
  openChain,
  postedOf,
  transfer,
  type VerificationCounts
} from "./_node.ts"

const forged = postedOf()
/** Another transaction with the same sender and nonce. */
const rival = postedOf({ amount: 5n })
const group = groupOf([rival, postedOf({ fromAccountIndex: 257, toAccountIndex: 256 })])

const submit = (posted: PostedTransaction) =>
  Effect.flatMap(Submission, (submission) => submission.submitTransaction(posted))
const statesOf = (...ids: ReadonlyArray<string>) =>
  Effect.flatMap(
    Pool,
    (pool) =>
      Effect.forEach(ids, (id) =>
        Effect.map(pool.transaction(id), (found) => `${found?.state} ${found?.batchNum}`))
  )

/** Runs an effect once, before the next verification of a signature. */
const beforeVerification = (verified: VerificationCounts, run: Effect.Effect<unknown, unknown>) =>
  Effect.sync(() => {
    verified.hook = Effect.suspend(() => {
      delete verified.hook
      return Effect.asVoid(Effect.orDie(run))
    })
  })

describe("a transaction that was posted while a batch used its nonce", () => {
  const forgesBatch = (verified: VerificationCounts) =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const ledger = yield* bareLedger
      yield* beforeVerification(
        verified,
        Effect.suspend(() =>
          ledger.applyBlock(chain.grow({ batches: [batchOf(3, { l2: [transfer] })] }))
        )
      )
      return {
        pool: yield* Pool,
        rollBack: Effect.suspend(() => ledger.rollBack(chain.cut(1).toBlock))
      }
    })

  const posts = [
    {
      what: "is invalid",
      post: submit(rival),
      ids: [rival.id],
      decided: ["invl 3"]
    },
    { what: "is forged", post: submit(forged), ids: [forged.id], decided: ["fged 3"] },
    {
      what: "is invalid with its group",
      post: Effect.flatMap(Submission, (submission) => submission.submitGroup(group)),
      ids: group.transactions.map(({ id }) => id),
      decided: ["invl 3", "invl 3"]
    }
  ]
  for (const { decided, ids, post, what } of posts) {
    it.effect(`${what}, and pending again if the batch is rolled back before the pool has reconciled it`, () => {
      const verified: VerificationCounts = { count: 0 }
      return Effect.gen(function*() {
        const { pool, rollBack } = yield* forgesBatch(verified)
        yield* post
        assert.deepStrictEqual(yield* statesOf(...ids), decided)
        yield* rollBack
        yield* pool.reconcile
        assert.deepStrictEqual(yield* statesOf(...ids), ids.map(() => "pend null"))
      }).pipe(Effect.provide(nodeLayer({}, verified)))
    })
  }

  it.effect("stays pending if the batch is reconciled and rolled back before the result is written", () => {
    const verified: VerificationCounts = { count: 0 }
    /** Runs once, before the next write of changes that concern the rival. */
    const hook: { run?: Effect.Effect<unknown> } = {}
    const overrides: NodeOverrides = {
      pool: (store) => ({
        reconcile: (step, atMs) =>
          Effect.suspend(() => {
            const run = step.changes.some(({ id }) => id === rival.id)
              ? hook.run ?? Effect.void
              : Effect.void
            if (run !== Effect.void) delete hook.run
            return Effect.andThen(run, store.reconcile(step, atMs))
          })
      })
    }
    return Effect.gen(function*() {
      const { pool, rollBack } = yield* forgesBatch(verified)
      hook.run = Effect.orDie(Effect.gen(function*() {
        yield* pool.reconcile
        yield* rollBack
        yield* pool.reconcile
      }))
      yield* submit(rival)
      assert.isUndefined(hook.run)
      yield* pool.reconcile
      assert.deepStrictEqual(yield* statesOf(rival.id), ["pend null"])
    }).pipe(Effect.provide(nodeLayer({}, verified, overrides)))
  })
})

describe("a transaction that was posted after a rollback whose reconciliation failed", () => {
  it.effect("is invalid as soon as the same block is applied again", () => {
    const pool = { isUnavailable: false }
    const overrides: NodeOverrides = {
      pool: (store) => ({
        reconcile: (step, atMs) =>
          Effect.suspend(() =>
            pool.isUnavailable
              ? Effect.fail(new StoreFailure({ message: "Test", retry: true }))
              : store.reconcile(step, atMs)
          )
      })
    }
    return Effect.gen(function*() {
      const chain = yield* openChain
      const ledger = yield* Ledger
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(3, { l2: [transfer] })] }))
      const { dropped: [block], toBlock } = chain.cut(1)
      pool.isUnavailable = true
      assert.strictEqual(
        (yield* Effect.flip(ledger.rollBack(toBlock)))._tag,
        "StoreFailure"
      )
      pool.isUnavailable = false
      yield* submit(rival)
      yield* submit(forged)
      yield* ledger.applyBlock(block!)
      assert.deepStrictEqual(yield* statesOf(rival.id, forged.id), ["invl 3", "fged 3"])
    }).pipe(Effect.provide(nodeLayer({}, undefined, overrides)))
  })
})

describe("a transaction that its coordinator reports as sent", () => {
  it.effect("while a batch without it is reconciled becomes pending again", () => {
    /** Runs once, before the next reconciliation of a batch is written. */
    const hook: { run?: Effect.Effect<unknown> } = {}
    const overrides: NodeOverrides = {
      pool: (store) => ({
        reconcile: (step, atMs) =>
          Effect.suspend(() => {
            const run = hook.run ?? Effect.void
            delete hook.run
            return Effect.andThen(run, store.reconcile(step, atMs))
          })
      })
    }
    return Effect.gen(function*() {
      const chain = yield* openChain
      const [ledger, pool, store] = [yield* Ledger, yield* Pool, yield* PoolStore]
      yield* submit(forged)
      yield* pool.startForging([forged.id], 3)
      const sent = {
        id: forged.id,
        from: "fing",
        fromBatchNum: 3,
        to: "fged",
        batchNum: 3,
        reason: "Batch 3 was sent"
      } as const
      // the coordinator has read the ledger before the batch
      hook.run = Effect.orDie(store.change([sent], 0))
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(3, {})] }))
      assert.isUndefined(hook.run)
      assert.deepStrictEqual(yield* statesOf(forged.id), ["pend null"])
    }).pipe(Effect.provide(nodeLayer({}, undefined, overrides)))
  })
})

describe("a transaction that becomes invalid while a rollback is being reconciled", () => {
  it.effect("is pending again with the others of the rolled back batch", () => {
    const verified: VerificationCounts = { count: 0 }
    /** The step that makes the rival invalid, until the reconciliation of the rollback runs it. */
    let late: Effect.Effect<unknown, StoreFailure> | undefined
    const during: { rollBack: Effect.Effect<unknown> } = { rollBack: Effect.void }
    const overrides: NodeOverrides = {
      pool: (store) => ({
        reconcile: (step, atMs) =>
          Effect.suspend(() => {
            if (verified.count > 0 && step.changes.some(({ to }) => to === "invl")) {
              const written = store.reconcile(step, atMs)
              late = written
              return Effect.andThen(
                during.rollBack,
                Effect.succeed(step.changes.map(({ id }) => id))
              )
            }
            const before = late ?? Effect.void
            late = undefined
            return Effect.andThen(before, store.reconcile(step, atMs))
          })
      })
    }
    return Effect.gen(function*() {
      const chain = yield* openChain
      const [ledger, pool] = [yield* bareLedger, yield* Pool]
      yield* beforeVerification(
        verified,
        Effect.suspend(() =>
          Effect.andThen(
            ledger.applyBlock(chain.grow({ batches: [batchOf(3, { l2: [transfer] })] })),
            pool.reconcile
          )
        )
      )
      during.rollBack = Effect.orDie(
        Effect.suspend(() => Effect.andThen(ledger.rollBack(chain.cut(1).toBlock), pool.reconcile))
      )
      yield* submit(rival)
      assert.isUndefined(late)
      assert.deepStrictEqual(yield* statesOf(rival.id), ["pend null"])
    }).pipe(Effect.provide(nodeLayer({}, verified, overrides)))
  })
})
