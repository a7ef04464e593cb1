/* Defects that the simulation has found, each as its shortest history. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"
import { batchOf, nodeLayer, openChain, postedOf, transfer } from "../pool/_node.ts"
import { story } from "../pool/_story.ts"

describe("The pool", () => {
  it.effect("shows a transaction as forged if a batch forged it, though its coordinator released that batch at the same time", () => {
    /** Runs once after the forged transactions are asked for, and the next batch waits for `gate`. */
    const once: { read?: Effect.Effect<unknown>; gate?: Deferred.Deferred<void> } = {}
    return Effect.gen(function*() {
      const chain = yield* openChain
      const [ledger, pool] = [yield* Ledger, yield* Pool]
      const { id } = yield* (yield* Submission).submitTransaction(postedOf())
      yield* pool.startForging([id], 3)
      yield* pool.doneForging([id], 3)
      const gate = once.gate = yield* Deferred.make<void>()
      const block = ledger.applyBlock(chain.grow({ batches: [batchOf(3, { l2: [transfer] })] }))
      let fiber: Fiber.Fiber<unknown, unknown> | undefined
      // the reconciliation of the batch has found no difference, and has not written yet
      once.read = Effect.andThen(
        Effect.map(Effect.forkDetach(block), (forked) => void (fiber = forked)),
        Effect.repeat(Effect.yieldNow, { times: 50 })
      )
      yield* pool.rollBack(2)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(fiber!)
      assert.deepInclude(yield* pool.transaction(id), { state: "fged", batchNum: 3 })
    }).pipe(Effect.provide(nodeLayer({}, undefined, {
      pool: (store) => ({
        reconcile: (step, atMs) =>
          Effect.suspend(() => {
            const { gate } = once
            const writing = store.reconcile(step, atMs)
            if (gate === undefined || step.from?.batchNum === step.to?.batchNum) return writing
            delete once.gate
            return Effect.andThen(Deferred.await(gate), writing)
          }),
        inBatches: (query) =>
          Effect.suspend(() => {
            const { read } = once
            const reading = store.inBatches(query)
            if (read === undefined || query.state !== "fged") return reading
            delete once.read
            return Effect.andThen(read, reading)
          })
      })
    })))
  })

  story(
    "does not leave a transaction pending that was forged while it was posted, though the store failed before this was noticed: only a repeated post reports it",
    { transactions: { a: {} } }
  )(`
    while it verifies: forge 3 a & break
    post a    -> storefailure
    mend
    post a    -> known
    states a  -> fged3
  `)
  story(
    "does not invalidate a transaction forever because of a batch that is rolled back at the same time",
    { transactions: { a: {}, rival: { amount: 5n } } }
  )(`
    while it verifies: forge 3 rival
    before a write of a: roll back 1
    post a
    states a  -> pend
  `)
})
