import { assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PoolChange, PoolStore } from "../../../core/ports/mod.ts"
import { idOf, pendingExit } from "../../laws/pool/_pool_rows.ts"
import {
  connected,
  emptyPool,
  historyOf,
  poolDatabase,
  poolOf,
  owners,
  unlimited
} from "../_pool_subject.ts"

const testDatabase = poolDatabase()

describe("processes that share a pool", () => {
  const limits = { pendingMax: 40, pendingPerAccountMax: 12 }
  let pools: ReadonlyArray<PoolStore["Service"]>
  beforeAll(async () => {
    pools = await Promise.all(
      [0, 1, 2].map(async () =>
        testDatabase.opened(Effect.flatMap(connected(testDatabase.url), poolOf))
      )
    )
  })
  beforeEach(() => Effect.runPromise(emptyPool(testDatabase.services)))

  const numbers = Array.from({ length: 120 }, (_, number) => number)
  const ids = numbers.map(idOf)
  const post = (pool: PoolStore["Service"]) =>
    Effect.forEach(
      numbers,
      (number) =>
        pool.addTransaction(
          pendingExit(number, { fromAccountIndex: 256 + number % 5 }),
          owners,
          limits
        ),
      { concurrency: 30 }
    )
  /** Changes any transactions that it finds, and returns the changes that the pool reported. */
  const coordinate = (pool: PoolStore["Service"], name: string) =>
    Effect.gen(function*() {
      const reported: Array<string> = []
      for (let step = 0; step < 12; step++) {
        const rows = yield* pool.pooled(ids)
        const changes = rows.filter((_, testDatabase) => (testDatabase + step) % 3 === 0).map((
          { transaction: { batchNum, id, state } }
        ): PoolChange => ({
          id,
          from: state,
          fromBatchNum: batchNum,
          reason: `${name} ${step}`,
          ...state === "pend" ? { to: "fing", batchNum: step } : { to: "pend", batchNum: null }
        }))
        reported.push(
          ...(yield* pool.change(changes, 2000)).map((id) => `${id.slice(2)} ${name} ${step}`)
        )
      }
      return reported
    })

  it.live("never have more pending transactions than the limits allow, and make each change once", () =>
    Effect.gen(function*() {
      const [answers, ...reported] = yield* Effect.all([
        Effect.all(pools.map(post), { concurrency: "unbounded" }),
        ...pools.map((pool, name) => coordinate(pool, `Process ${name}`))
      ], { concurrency: "unbounded" })
      const pending = new Map<unknown, number>()
      const states = new Map<unknown, unknown>()
      let all = 0
      for (const { account, from_state, id, to_state } of yield* historyOf(testDatabase.services)) {
        assert.strictEqual(from_state, states.get(id) ?? null, `of ${id}`)
        states.set(id, to_state)
        const step = Number(to_state === "pend") - Number(from_state === "pend")
        pending.set(account, (pending.get(account) ?? 0) + step)
        all += step
        // a transaction that returns from a batch is not limited
        if (from_state !== null) continue
        assert.isAtMost(all, limits.pendingMax)
        assert.isAtMost(pending.get(account)!, limits.pendingPerAccountMax)
      }
      const moves = (yield* historyOf(testDatabase.services)).filter(({ from_state }) =>
        from_state !== null
      ).map(({ id, reason }) => `${id} ${reason}`)
      assert.deepStrictEqual(moves.toSorted(), reported.flat().toSorted())
      assert.strictEqual(answers.flat().filter(({ kind }) => kind === "added").length, states.size)
      assert.isAbove(moves.length, 50)
      assert.isTrue(answers.flat().some(({ kind }) => kind === "full"))
      const counts = yield* pools[0]!.counts
      assert.strictEqual(counts.pend, all)
      assert.strictEqual(counts.fing, states.size - all)
      for (let index = 256; index < 261; index++) {
        assert.strictEqual(yield* pools[1]!.pendingOf(index), pending.get(BigInt(index)))
      }
    }))

  it.live("assign arrivals in the order in which posts are acknowledged", () =>
    Effect.gen(function*() {
      const acknowledged: Array<string> = []
      yield* Effect.forEach(numbers, (number) =>
        Effect.andThen(
          pools[number % 3]!.addTransaction(pendingExit(number), owners, unlimited),
          // its position is final: a later post gets a higher one
          Effect.map(pools[(number + 1) % 3]!.pooled([idOf(number)]), ([row]) =>
            acknowledged.push(`${row!.arrival}`))
        ), { concurrency: 1 })
      assert.deepStrictEqual(
        acknowledged,
        acknowledged.map((_, testDatabase) => String(Number(acknowledged[0]) + testDatabase))
      )
      yield* Effect.forEach(
        numbers,
        (number) =>
          pools[number % 3]!.addTransaction(pendingExit(1000 + number), owners, unlimited),
        { concurrency: "unbounded" }
      )
      const rows = yield* pools[0]!.pooled(numbers.map((number) => idOf(1000 + number)))
      assert.strictEqual(new Set(rows.map(({ arrival }) => arrival)).size, numbers.length)
      assert.isTrue(rows.every(({ arrival }) => arrival > Number(acknowledged.at(-1))))
    }))
})
