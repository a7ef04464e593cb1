/* Reconciliations during which the ledger or the pool changes, and those of many transactions. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PostedTransaction } from "../../core/domain/mod.ts"
import { PoolStore, type StoreFailure } from "../../core/ports/mod.ts"
import { Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"
import { ownersOf } from "../laws/pool/_pool_rows.ts"
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

const submit = (posted: PostedTransaction) =>
  Effect.flatMap(Submission, (submission) => submission.submitTransaction(posted))
const stateOf = (id: string) =>
  Effect.flatMap(Pool, (pool) => Effect.map(pool.transaction(id), (found) => found?.state))
/** Without the pool. */
const opened = Effect.gen(function*() {
  const [chain, ledger] = [yield* openChain, yield* bareLedger]
  return {
    pool: yield* Pool,
    store: yield* PoolStore,
    forge: (batchNum: number, ...l2: ReadonlyArray<typeof transfer>) =>
      Effect.suspend(() => ledger.applyBlock(chain.grow({ batches: [batchOf(batchNum, { l2 })] }))),
    rollBack: (blocks: number) => Effect.suspend(() => ledger.rollBack(chain.cut(blocks).toBlock))
  }
})

describe("a reconciliation starts again", () => {
  /** Makes one of the following reconciliations fail as if another one came first. */
  const overtaken = { once: false }
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
  const node = nodeLayer({}, undefined, overrides)
  const goesBackFor = (name: string, after = 0) => () => void Object.assign(gone, { name, after })
  const overtakes = () => void (overtaken.once = true)
  /** Returns the changed transactions and the last reconciled batch. */
  const result = Effect.gen(function*() {
    const [pool, store] = [yield* Pool, yield* PoolStore]
    const changed = yield* pool.reconcile
    assert.deepStrictEqual([overtaken.once, gone.name], [false, null], "nothing was disturbed")
    const [mark] = yield* store.reconciledBatchesBelow({ batchNum: 100, limit: 1 })
    return [changed, mark?.batchNum]
  })

  it.effect("if another one came first, or the ledger was rolled back between two reads", () =>
    Effect.gen(function*() {
      const { forge, rollBack } = yield* opened
      let next = 3
      // an empty pool
      for (const disturb of [overtakes, goesBackFor("batch"), goesBackFor("batch", 1)]) {
        yield* forge(next)
        disturb()
        assert.deepStrictEqual(yield* result, [[], next++])
      }
      const { id } = yield* submit(postedOf())
      // a pool with transactions
      for (
        const [disturb, disturbRollback] of [
          [overtakes, overtakes],
          [goesBackFor("batch"), goesBackFor("batch")],
          // a rollback reads no whole batch
          [goesBackFor("fullBatch"), () => undefined]
        ] as const
      ) {
        yield* forge(next, transfer)
        disturb()
        assert.deepStrictEqual(yield* result, [[id], next])
        yield* rollBack(1)
        disturbRollback()
        assert.deepStrictEqual(yield* result, [[id], next - 1])
      }
    }).pipe(Effect.provide(node)))

  it.effect("also if the pool meets the ledger for the first time", () =>
    Effect.gen(function*() {
      const { store } = yield* opened
      for (const disturb of [overtakes, goesBackFor("batch")]) {
        const [mark] = yield* store.reconciledBatchesBelow({ batchNum: 100, limit: 1 })
        yield* store.reconcile({ from: mark!, to: null, changes: [] }, 0)
        disturb()
        assert.deepStrictEqual(yield* result, [[], 2])
      }
    }).pipe(Effect.provide(node)))

  it.effect("also for transactions that a coordinator releases", () =>
    Effect.gen(function*() {
      const { pool } = yield* opened
      const { id } = yield* submit(postedOf())
      yield* pool.startForging([id], 3)
      overtakes()
      assert.deepStrictEqual(yield* pool.rollBack(2), [id])
      assert.isFalse(overtaken.once)
    }).pipe(Effect.provide(node)))

  it.effect("and writes nothing of a batch that was rolled back in the meantime", () => {
    const hook: { now?: Effect.Effect<unknown> } = {}
    const steps: Array<number | null | undefined> = []
    return Effect.gen(function*() {
      const { forge, pool, rollBack } = yield* opened
      const other = { ...transfer, fromAccountIndex: 257, toAccountIndex: 256 }
      const ids = [yield* submit(postedOf()), yield* submit(postedOf(other))].map(({ id }) => id)
      yield* forge(3)
      yield* pool.reconcile
      yield* forge(4, transfer)
      steps.length = 0
      hook.now = Effect.orDie(Effect.andThen(rollBack(2), forge(3, other)))
      assert.deepStrictEqual(yield* pool.reconcile, ids.slice(1))
      // back to the last common batch before anything forward
      assert.deepStrictEqual(steps, [2, 3])
      assert.deepStrictEqual(yield* Effect.forEach(ids, stateOf), ["pend", "fged"])
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
              if (step.from?.batchNum !== step.to?.batchNum) steps.push(step.to?.batchNum)
            }))
      })
    })))
  })
})

describe("an account that another owner gets after a rollback", () => {
  it.effect("makes all transactions to the other owner invalid", () =>
    Effect.gen(function*() {
      const [chain, ledger] = [yield* openChain, yield* Ledger]
      const creating = (owner: number) =>
        chain.grow({
          batches: [batchOf(3, { l1Coordinator: [{ tokenId: 0, ...ownerOf(owner) }] })]
        })
      const pay = (fromAccountIndex: number) =>
        Effect.map(submit(postedOf({ fromAccountIndex, toAccountIndex: 262 })), ({ id }) => id)
      yield* ledger.applyBlock(creating(9))
      const first = yield* pay(256)
      yield* ledger.rollBack(chain.cut(1).toBlock)
      yield* ledger.applyBlock(creating(8))
      const others = [yield* pay(257), yield* pay(258)]
      yield* ledger.rollBack(chain.cut(1).toBlock)
      yield* ledger.applyBlock(creating(9))
      const states = yield* Effect.forEach([first, ...others], stateOf)
      assert.deepStrictEqual(states, ["pend", "invl", "invl"])
    }).pipe(Effect.provide(nodeLayer())))
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
            const written = store.reconcile(step, atMs)
            if (verified.count > 0 && step.changes.some(({ to }) => to === "invl")) {
              late = written
              return Effect.as(during.rollBack, step.changes.map(({ id }) => id))
            }
            const before = late ?? Effect.void
            late = undefined
            return Effect.andThen(before, written)
          })
      })
    }
    return Effect.gen(function*() {
      const { forge, pool, rollBack } = yield* opened
      verified.hook = Effect.suspend(() => {
        delete verified.hook
        return Effect.asVoid(Effect.orDie(Effect.andThen(forge(3, transfer), pool.reconcile)))
      })
      during.rollBack = Effect.orDie(Effect.andThen(rollBack(1), pool.reconcile))
      const { id } = yield* submit(postedOf({ amount: 5n }))
      assert.isUndefined(late)
      assert.strictEqual(yield* stateOf(id), "pend")
    }).pipe(Effect.provide(nodeLayer({}, verified, overrides)))
  })
})

describe("more transactions than a call can have arguments", () => {
  const row = {
    transaction: { ...postedOf(), state: "fged", timestampMs: 0, batchNum: 9 },
    ...ownersOf(1),
    sinceMs: 0,
    arrival: 0
  } as const
  const rows = Array.from({ length: 130_000 }, () => row)
  const sizes: Array<number> = []
  const node = nodeLayer({}, undefined, {
    pool: (store) => ({
      inBatches: ({ state }) => Effect.succeed(state === "fged" ? rows : []),
      pooled: () => Effect.succeed(rows),
      change: (changes, atMs) => (sizes.push(changes.length), store.change(changes, atMs)),
      reconcile: (step, atMs) => (sizes.push(step.changes.length), store.reconcile(step, atMs))
    })
  })

  it.effect("are rolled back and purged", () =>
    Effect.gen(function*() {
      const pool = yield* Pool
      yield* pool.rollBack(2)
      yield* pool.purge({ ttlMs: 0, currentBatch: 0, safetyPeriodBatches: 0, capacity: 0 })
      assert.deepStrictEqual(sizes.filter((size) => size > 0), [rows.length, rows.length])
    }).pipe(Effect.provide(node)))
})
