/* Every change of a transaction's state, at its bounds and from every state. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { PostedTransaction } from "../../core/domain/mod.ts"
import { PoolStore } from "../../core/ports/mod.ts"
import { forgingMaxMsDefault, Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"
import { bareLedger, batchOf, nodeLayer, openChain, postedOf, transfer } from "./_node.ts"
import { ownersOf } from "../laws/pool/_pool_rows.ts"

const submit = (...all: ReadonlyArray<PostedTransaction>) =>
  Effect.flatMap(
    Submission,
    (submission) =>
      Effect.forEach(all, (posted) =>
        Effect.map(submission.submitTransaction(posted), ({ id }) => id))
  )

const statesOf = (...ids: ReadonlyArray<string>) =>
  Effect.flatMap(
    Pool,
    (pool) =>
      Effect.forEach(ids, (id) =>
        Effect.map(pool.transaction(id), (found) =>
          found === null ? null : [found.state, found.batchNum]))
  )

const lastReasonOf = (id: string) =>
  Effect.flatMap(Pool, (pool) => Effect.map(pool.transitions(id), (steps) => steps.at(-1)!.reason))

/** Returns one transaction of each of the first four accounts. */
const four = [0, 1, 2, 3].map((number) =>
  postedOf({ fromAccountIndex: 256 + number, toAccountIndex: 257 - Math.sign(number) })
)

describe("a coordinator", () => {
  it.effect("cannot mark a batch as sent that the ledger has", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, ledger] = [yield* Pool, yield* bareLedger]
      const [id] = yield* submit(four[0]!)
      yield* pool.startForging([id!], 3)
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(3, {})] }))
      assert.deepStrictEqual(yield* pool.doneForging([id!], 3), [])
      assert.deepStrictEqual(yield* pool.reconcile, [id!])
      assert.strictEqual(yield* lastReasonOf(id!), "Batch 3 was forged without it")
      // nor one with a transaction that was invalidated since
      yield* pool.invalidate([{ id: id!, reason: "" }], 4)
      assert.deepStrictEqual(yield* pool.doneForging([id!], 4), [])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("finds nothing to do in a pool over an empty ledger", () =>
    Effect.gen(function*() {
      const pool = yield* Pool
      assert.deepStrictEqual([yield* pool.reconcile, yield* pool.rollBack(0)], [[], []])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("invalidates pending and forging transactions, but not forged or invalid ones", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, ledger] = [yield* Pool, yield* Ledger]
      const [forged, pending, forging, sent] = yield* submit(...four)
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(3, { l2: [transfer] })] }))
      yield* pool.startForging([forging!, sent!], 4)
      yield* pool.doneForging([sent!], 4)
      const all = [forged!, pending!, forging!, sent!]
      const changed = yield* pool.invalidate(all.map((id) => ({ id, reason: `No ${id}` })), 4)
      assert.deepStrictEqual(changed, [pending!, forging!, sent!])
      assert.deepStrictEqual(yield* statesOf(...all), [["fged", 3], ["invl", 4], ["invl", 4], [
        "invl",
        4
      ]])
      assert.strictEqual(yield* lastReasonOf(sent!), `No ${sent!}`)
      assert.deepStrictEqual(yield* pool.invalidate(all.map((id) => ({ id, reason: "" })), 5), [])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("invalidates used nonces of the given accounts", () =>
    Effect.gen(function*() {
      yield* openChain
      const pool = yield* Pool
      const [first, second, other] = yield* submit(postedOf(), postedOf({ nonce: 1n }), four[1]!)
      assert.deepStrictEqual(yield* pool.invalidateOldNonces([{ index: 256, nonce: 1n }], 7), [
        first!
      ])
      assert.deepStrictEqual(yield* statesOf(first!, second!, other!), [
        ["invl", 7],
        ["pend", null],
        ["pend", null]
      ])
      assert.strictEqual(yield* lastReasonOf(first!), "Nonce 0 of account 256 is already used")
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("releases invalid batches, but not one that the ledger has", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, ledger] = [yield* Pool, yield* Ledger]
      const [forged, forging, sent, invalid] = yield* submit(...four)
      yield* pool.startForging([forging!], 4)
      yield* pool.startForging([sent!], 5)
      yield* pool.doneForging([sent!], 5)
      yield* pool.invalidate([{ id: invalid!, reason: "" }], 6)
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(3, { l2: [transfer] })] }))
      assert.deepStrictEqual(yield* pool.rollBack(5), [invalid!])
      assert.strictEqual(yield* lastReasonOf(invalid!), "Batches after 5 are not valid")
      assert.deepStrictEqual(yield* pool.rollBack(1), [forging!, sent!])
      assert.strictEqual(yield* lastReasonOf(sent!), "Batches after 3 are not valid")
      assert.deepStrictEqual(yield* statesOf(forged!, forging!, sent!, invalid!), [
        ["fged", 3],
        ["pend", null],
        ["pend", null],
        ["pend", null]
      ])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("removes pending or invalid transactions, once", () =>
    Effect.gen(function*() {
      yield* openChain
      const pool = yield* Pool
      const [pending, invalid, sent] = yield* submit(...four)
      yield* pool.startForging([sent!], 3)
      yield* pool.doneForging([sent!], 3)
      yield* pool.invalidate([{ id: invalid!, reason: "" }], 6)
      assert.deepStrictEqual(yield* pool.remove([invalid!, sent!, pending!, invalid!], "Test"), [
        invalid!,
        pending!
      ])
      assert.deepStrictEqual(yield* statesOf(pending!, invalid!, sent!), [null, null, ["fged", 3]])
      assert.deepInclude((yield* pool.transitions(invalid!)).at(-1), {
        from: "invl",
        to: null,
        batchNum: 6,
        reason: "Removed: Test"
      })
    }).pipe(Effect.provide(nodeLayer())))
})

describe("purging removes a transaction that", () => {
  const bounds = { ttlMs: 1000, currentBatch: 9, safetyPeriodBatches: 2, capacity: 9 }

  it.effect("was pending for too long, or is the oldest of too many", () =>
    Effect.gen(function*() {
      yield* openChain
      const pool = yield* Pool
      const [old] = yield* submit(four[0]!)
      yield* TestClock.adjust(1)
      const [second] = yield* submit(four[1]!)
      yield* TestClock.adjust(999)
      const [third, last] = yield* submit(...four.slice(2))
      assert.deepStrictEqual(yield* pool.purge({ ...bounds, capacity: 4 }), [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* pool.purge({ ...bounds, capacity: 2 }), [old!, second!])
      assert.strictEqual(yield* lastReasonOf(old!), "Purged: pending for more than 1000 ms")
      assert.strictEqual(
        yield* lastReasonOf(second!),
        "Purged: the pool holds more than 2 pending transactions"
      )
      assert.deepStrictEqual(yield* pool.purge({ ...bounds, capacity: 1 }), [third!])
      assert.deepStrictEqual(yield* statesOf(last!), [["pend", null]])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("is forged or invalid for more batches than can be rolled back, by the ledger and by the caller", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, ledger] = [yield* Pool, yield* Ledger]
      const [forged, invalid] = yield* submit(...four)
      yield* pool.invalidate([{ id: invalid!, reason: "" }], 2)
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(3, { l2: [transfer] })] }))
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(4, {}), batchOf(5, {})] }))
      for (const currentBatch of [4, 5, 9]) {
        assert.deepStrictEqual(
          yield* pool.purge({
            ...bounds,
            currentBatch,
            safetyPeriodBatches: Math.min(currentBatch, 5) - 2
          }),
          []
        )
      }
      assert.deepStrictEqual(
        yield* pool.purge({ ...bounds, currentBatch: 4, safetyPeriodBatches: 1 }),
        [invalid!]
      )
      assert.deepInclude((yield* pool.transitions(invalid!)).at(-1), {
        to: null,
        batchNum: 2,
        reason: "Purged: invalid since batch 2, 1 batches ago and more"
      })
      assert.deepStrictEqual(yield* pool.purge({ ...bounds, safetyPeriodBatches: 1 }), [forged!])
      assert.deepInclude((yield* pool.transitions(forged!)).at(-1), {
        to: null,
        batchNum: 3,
        reason: "Purged: forged since batch 3, 1 batches ago and more"
      })
    }).pipe(Effect.provide(nodeLayer())))
})

describe("a pool is reconciled", () => {
  it.effect("if a selected or sent transaction has waited for longer than a proof takes, or its batch exists without it", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, store, ledger] = [yield* Pool, yield* PoolStore, yield* Ledger]
      const [forged, forging, sent, missed] = yield* submit(...four)
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(3, { l2: [transfer] })] }))
      yield* pool.startForging([forging!, sent!], 4)
      yield* pool.doneForging([sent!], 4)
      // as if that batch was applied between the read of the ledger and the write
      yield* store.change([{
        id: missed!,
        from: "pend",
        fromBatchNum: null,
        to: "fing",
        batchNum: 3,
        reason: ""
      }], 0)
      assert.deepStrictEqual(yield* pool.reconcile, [missed!])
      assert.strictEqual(yield* lastReasonOf(missed!), "Batch 3 was forged without it")
      yield* TestClock.adjust(forgingMaxMsDefault)
      assert.deepStrictEqual(yield* pool.reconcile, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* pool.reconcile, [forging!, sent!])
      for (const id of [forging!, sent!]) {
        assert.strictEqual(
          yield* lastReasonOf(id),
          `Batch 4 was not forged within ${forgingMaxMsDefault} ms`
        )
      }
      assert.deepStrictEqual(yield* statesOf(forged!), [["fged", 3]])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("with a batch that forged transactions selected for it or sent for another one, and left out sent ones", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, ledger] = [yield* Pool, yield* Ledger]
      const [selected, sent, leftOut, early] = yield* submit(
        ...four.with(1, postedOf({ fromAccountIndex: 257, toAccountIndex: 256 }))
      )
      yield* pool.startForging([selected!, leftOut!], 3)
      yield* pool.startForging([sent!, early!], 4)
      yield* pool.doneForging([leftOut!], 3)
      yield* pool.doneForging([sent!], 4)
      const l2 = [0, 1, 3].map((number) => ({
        ...transfer,
        fromAccountIndex: 256 + number,
        toAccountIndex: 257 - Math.sign(number)
      }))
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(3, { l2 })] }))
      assert.deepStrictEqual(yield* statesOf(selected!, sent!, early!, leftOut!), [
        ["fged", 3],
        ["fged", 3],
        ["fged", 3],
        ["pend", null]
      ])
      assert.strictEqual(yield* lastReasonOf(leftOut!), "Batch 3 was forged without it")
      // the same again changes nothing
      assert.lengthOf(yield* pool.transitions(selected!), 3)
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("with only the last batch while it is empty, and with each one as soon as it has transactions", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, ledger, store] = [yield* Pool, yield* Ledger, yield* PoolStore]
      const marks = Effect.map(
        store.reconciledBatchesBelow({ batchNum: 100, limit: 9 }),
        (all) => all.map(({ batchNum }) => batchNum)
      )
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(3, {}), batchOf(4, {})] }))
      assert.deepStrictEqual(yield* marks, [4, 2, 1])
      const [forging, sent] = yield* submit(...four)
      yield* pool.startForging([forging!, sent!], 9)
      yield* pool.doneForging([sent!], 9)
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(5, {}), batchOf(6, {})] }))
      assert.deepStrictEqual(yield* marks, [6, 5, 4, 2, 1])
      yield* pool.invalidate([{ id: forging!, reason: "" }], 6)
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(7, {}), batchOf(8, {})] }))
      assert.deepStrictEqual(yield* marks, [8, 7, 6, 5, 4, 2, 1])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("with a transaction that used a nonce while the other one with this nonce was invalid", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, ledger] = [yield* Pool, yield* Ledger]
      const [id] = yield* submit(postedOf({ amount: 5n }))
      yield* pool.invalidate([{ id: id!, reason: "" }], 4)
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(3, { l2: [transfer] })] }))
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(4, {})] }))
      yield* ledger.rollBack(chain.cut(1).toBlock)
      assert.deepStrictEqual(yield* statesOf(id!), [["invl", 3]])
      assert.strictEqual(
        yield* lastReasonOf(id!),
        "Nonce 0 of account 256 was used by another transaction in batch 3"
      )
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("with any batch that forged, superseded or left out its transactions, each with a reason", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, ledger] = [yield* Pool, yield* Ledger]
      const [forged, elsewhere, leftOut, later] = yield* submit(...four)
      const [beaten, beatenForging, next] = yield* submit(
        postedOf({ amount: 5n }),
        postedOf({ amount: 6n }),
        postedOf({ nonce: 1n })
      )
      yield* pool.startForging([beatenForging!, leftOut!], 3)
      yield* pool.startForging([later!], 4)
      const changed = yield* Effect.as(
        ledger.applyBlock(
          chain.grow({
            batches: [
              batchOf(3, {
                l2: [transfer, { ...transfer, fromAccountIndex: 257, toAccountIndex: 258 }]
              })
            ]
          })
        ),
        [
          forged!,
          elsewhere!,
          beaten!,
          beatenForging!,
          leftOut!,
          later!,
          next!
        ]
      )
      assert.deepStrictEqual(yield* statesOf(...changed), [
        ["fged", 3],
        ["invl", 3],
        ["invl", 3],
        ["invl", 3],
        ["pend", null],
        ["fing", 4],
        ["pend", null]
      ])
      assert.deepStrictEqual(yield* Effect.forEach(changed.slice(0, 5), lastReasonOf), [
        "Forged in batch 3",
        "A transaction with the same id and another destination was forged in batch 3",
        "Nonce 0 of account 256 was used by another transaction in batch 3",
        "Nonce 0 of account 256 was used by another transaction in batch 3",
        "Batch 3 was forged without it"
      ])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("with an unknown ledger: forging and forged transactions are looked up", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, store, ledger] = [yield* Pool, yield* PoolStore, yield* bareLedger]
      const [forged, moved, missing, forging] = yield* submit(...four)
      const [selected] = yield* submit(postedOf({ nonce: 1n }))
      const states = {
        [forged!]: ["fged", 3],
        [moved!]: ["fged", 2],
        [missing!]: ["fged", 2],
        [forging!]: ["fing", 3],
        [selected!]: ["fing", 3]
      } as const
      yield* ledger.applyBlock(
        chain.grow({
          batches: [
            batchOf(3, {
              l2: [transfer, { ...transfer, nonce: 1n }, {
                ...transfer,
                fromAccountIndex: 257,
                toAccountIndex: 256
              }]
            })
          ]
        })
      )
      const [mark] = yield* store.reconciledBatchesBelow({ batchNum: 100, limit: 1 })
      yield* store.reconcile({
        from: mark!,
        to: null,
        changes: Object.entries(states).map(([id, [to, batchNum]]) => ({
          id,
          from: "pend",
          fromBatchNum: null,
          to,
          batchNum,
          reason: "Test"
        }))
      }, 0)
      assert.sameMembers([...yield* pool.reconcile], [forging!, selected!, moved!, missing!])
      assert.deepStrictEqual(yield* statesOf(forged!, moved!, missing!, forging!, selected!), [
        ["fged", 3],
        ["fged", 3],
        ["pend", null],
        ["pend", null],
        ["fged", 3]
      ])
      assert.deepStrictEqual(
        yield* Effect.forEach([forged!, moved!, missing!, forging!], lastReasonOf),
        [
          "Test",
          "Forged in batch 3",
          "Batch 2 was forged without it",
          "Batch 3 was forged without it"
        ]
      )
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("with a ledger that was rolled back further than one read covers", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, ledger] = [yield* Pool, yield* Ledger]
      const [forged, waiting, sent] = yield* submit(...four)
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(3, { l2: [transfer] })] }))
      yield* pool.startForging([sent!], 200)
      yield* ledger.applyBlock(
        chain.grow({ batches: Array.from({ length: 130 }, (_, number) => batchOf(number + 4, {})) })
      )
      yield* pool.invalidate([{ id: waiting!, reason: "" }], 4)
      yield* ledger.rollBack(chain.cut(1).toBlock)
      assert.deepStrictEqual(yield* statesOf(forged!, waiting!), [["fged", 3], ["pend", null]])
      for (const id of [waiting!, sent!]) {
        assert.strictEqual(yield* lastReasonOf(id), "Batches after 3 were rolled back")
      }
      assert.deepStrictEqual(
        (yield* (yield* PoolStore).reconciledBatchesBelow({ batchNum: 999, limit: 9 })).map((
          { batchNum }
        ) => batchNum),
        [3, 2, 1]
      )
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("from scratch with a ledger that has none of its batches", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, store, ledger] = [yield* Pool, yield* PoolStore, yield* bareLedger]
      const [forged, sent] = yield* submit(...four)
      const marks = yield* store.reconciledBatchesBelow({ batchNum: 100, limit: 9 })
      yield* store.reconcile({ from: marks[0]!, to: null, changes: [] }, 0)
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(3, { l2: [transfer] })] }))
      yield* pool.reconcile
      yield* pool.startForging([sent!], 4)
      yield* ledger.rollBack(chain.cut(1).toBlock)
      yield* ledger.applyBlock(chain.grow({}))
      assert.deepStrictEqual(yield* pool.reconcile, [sent!, forged!])
      assert.deepStrictEqual(yield* Effect.forEach([sent!, forged!], lastReasonOf), [
        "Batches after 0 were rolled back",
        "Batches after 0 were rolled back"
      ])
      assert.deepStrictEqual(yield* store.reconciledBatchesBelow({ batchNum: 100, limit: 9 }), [
        marks[0]!
      ])
    }).pipe(Effect.provide(nodeLayer())))
})

describe("more transactions than a call can have arguments", () => {
  const row = {
    transaction: { ...four[0]!, state: "fged", timestampMs: 0, batchNum: 9 },
    ...ownersOf(1),
    sinceMs: 0,
    arrival: 0
  } as const
  const rows = Array.from({ length: 130_000 }, () => row)
  const sizes: Array<number> = []
  const node = nodeLayer({}, { count: 0 }, {
    pool: (store) => ({
      inBatches: ({ state }) => Effect.succeed(state === "fged" ? rows : []),
      pooled: () => Effect.succeed(rows),
      change: (changes, atMs) => {
        sizes.push(changes.length)
        return store.change(changes, atMs)
      },
      reconcile: (step, atMs) => {
        sizes.push(step.changes.length)
        return store.reconcile(step, atMs)
      }
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
