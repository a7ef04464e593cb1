/* Defects that the simulation has found, each as its shortest history. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { layer, openMemoryPool } from "../../adapters/memory/mod.ts"
import { PoolStore, SignatureVerifier, StoreFailure } from "../../core/ports/mod.ts"
import { Ledger, Pool, pooledLedger, Submission } from "../../core/use_cases/mod.ts"
import { batchOf, openChain, postedOf } from "../pool/_node.ts"
import { genesis } from "../pool/_subject.ts"

/** Effects that run once in between. */
interface Hooks {
  verified?: Effect.Effect<unknown, unknown>
  reconciled?: Effect.Effect<unknown, unknown>
  read?: Effect.Effect<unknown, unknown>
  /** The next reconciliation of a batch waits for it. */
  gate?: Deferred.Deferred<void>
}

const once = (hooks: Hooks, when: Exclude<keyof Hooks, "gate">) =>
  Effect.suspend((): Effect.Effect<unknown> => {
    const story = hooks[when]
    delete hooks[when]
    return Effect.orDie(story ?? Effect.void)
  })

const nodeOf = (hooks: Hooks, failing: { reconcile?: boolean } = {}) =>
  Layer.merge(
    pooledLedger(genesis, keccak256),
    Submission.layer({ network: genesis.network, keccak256 })
  ).pipe(
    Layer.provideMerge(Pool.layer({ keccak256 })),
    Layer.provideMerge(Layer.mergeAll(
      layer(genesis),
      Layer.sync(PoolStore, () => {
        const store = openMemoryPool()
        const reconcile: typeof store.reconcile = (step, atMs) =>
          Effect.andThen(
            once(hooks, "reconciled"),
            Effect.suspend(() => {
              if (failing.reconcile !== true) return store.reconcile(step, atMs)
              failing.reconcile = false
              return Effect.fail(new StoreFailure({ message: "The database is gone", retry: true }))
            })
          )
        return {
          ...store,
          reconcile: (step, atMs) =>
            Effect.suspend(() => {
              const { gate } = hooks
              if (step.from?.batchNum === step.to?.batchNum || gate === undefined) {
                return reconcile(step, atMs)
              }
              delete hooks.gate
              return Effect.andThen(Deferred.await(gate), reconcile(step, atMs))
            }),
          inBatches: (query) =>
            query.state === "fged"
              ? Effect.andThen(once(hooks, "read"), store.inBatches(query))
              : store.inBatches(query)
        }
      }),
      Layer.succeed(SignatureVerifier, {
        transaction: () => Effect.as(once(hooks, "verified"), true),
        authorization: () => Effect.succeed(true)
      })
    ))
  )

const transfer = { fromAccountIndex: 256, toAccountIndex: 257, amount: 1000n, fee: 126, nonce: 0n }
const stateOf = (id: string) =>
  Effect.gen(function*() {
    const found = yield* (yield* Pool).transaction(id)
    return [found?.state, found?.batchNum]
  })

describe("The pool", () => {
  it.effect("shows a transaction as forged if a batch forged it, though its coordinator released that batch at the same time", () => {
    const hooks: Hooks = {}
    return Effect.gen(function*() {
      const chain = yield* openChain
      const [ledger, pool] = [yield* Ledger, yield* Pool]
      const { id } = yield* (yield* Submission).submitTransaction(postedOf())
      yield* pool.startForging([id], 3)
      yield* pool.doneForging([id], 3)
      const gate = hooks.gate = yield* Deferred.make<void>()
      const block = ledger.applyBlock(chain.grow({ batches: [batchOf(3, { l2: [transfer] })] }))
      let fiber: Fiber.Fiber<unknown, unknown> | undefined
      // the reconciliation of the batch has found no difference, and has not written yet
      hooks.read = Effect.andThen(
        Effect.map(Effect.forkDetach(block), (forked) => void (fiber = forked)),
        Effect.repeat(Effect.yieldNow, { times: 50 })
      )
      yield* pool.rollBack(2)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(fiber!)
      assert.deepStrictEqual(yield* stateOf(id), ["fged", 3])
    }).pipe(Effect.provide(nodeOf(hooks)))
  })

  it.effect("does not leave a transaction pending that was forged while it was posted, though the store failed before this was noticed: only a repeated post reports it", () => {
    const [hooks, failing]: [Hooks, { reconcile?: boolean }] = [{}, {}]
    return Effect.gen(function*() {
      const chain = yield* openChain
      const [ledger, submission] = [yield* Ledger, yield* Submission]
      const posted = postedOf()
      hooks.verified = Effect.andThen(
        ledger.applyBlock(chain.grow({ batches: [batchOf(3, { l2: [transfer] })] })),
        Effect.sync(() => void (failing.reconcile = true))
      )
      assert.strictEqual(
        (yield* Effect.flip(submission.submitTransaction(posted)))._tag,
        "StoreFailure"
      )
      assert.deepStrictEqual(yield* submission.submitTransaction(posted), {
        id: posted.id,
        stored: false
      })
      assert.deepStrictEqual(yield* stateOf(posted.id), ["fged", 3])
    }).pipe(Effect.provide(nodeOf(hooks, failing)))
  })

  it.effect("does not invalidate a transaction forever because of a batch that is rolled back at the same time", () => {
    const hooks: Hooks = {}
    return Effect.gen(function*() {
      const chain = yield* openChain
      const [ledger, submission] = [yield* Ledger, yield* Submission]
      const posted = postedOf()
      const beaten = ledger.applyBlock(
        chain.grow({ batches: [batchOf(3, { l2: [{ ...transfer, amount: 5n }] })] })
      )
      hooks.verified = Effect.andThen(
        beaten,
        Effect.sync(() => {
          hooks.reconciled = ledger.rollBack(chain.cut(1).toBlock)
        })
      )
      yield* submission.submitTransaction(posted)
      assert.deepStrictEqual(yield* stateOf(posted.id), ["pend", null])
    }).pipe(Effect.provide(nodeOf(hooks)))
  })
})
