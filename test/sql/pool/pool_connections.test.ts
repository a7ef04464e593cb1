import { afterAll, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { WRITES_RETAINED } from "../../../adapters/sql/pool/_pool_write.ts"
import type { PoolChange, PoolStore } from "../../../core/ports/mod.ts"
import { authorizationOf, idOf, pendingExit } from "../../laws/pool/_pool_rows.ts"
import {
  connected,
  emptyPool,
  executed,
  historyOf,
  poolDatabase,
  poolOf,
  owners,
  unlimited
} from "../_pool_subject.ts"
import { type Proxy, startProxy } from "../_proxy.ts"

const testDatabase = poolDatabase()

describe("a pool whose connections fail", () => {
  let proxy: Proxy
  let pool: PoolStore["Service"]
  beforeAll(async () => {
    proxy = await startProxy(testDatabase.url)
    // a server that does not notice the failure ends the transaction after this time
    pool = await testDatabase.opened(
      Effect.flatMap(connected(proxy.url, { idleTransactionMs: 300 }), poolOf)
    )
  })
  afterAll(() => proxy.close())
  beforeEach(() => Effect.runPromise(emptyPool(testDatabase.services)))

  /** Makes one statement fail while an effect runs. */
  const withFailure = <A, E>(
    statement: RegExp,
    fate: Parameters<Proxy["failNext"]>[1],
    effect: Effect.Effect<A, E>
  ) =>
    Effect.gen(function*() {
      let met = false
      void proxy.failNext(statement, fate).then(() => met = true)
      const answer = yield* effect
      assert.isTrue(met, "no statement failed")
      return answer
    })
  const steps = (number: number) =>
    Effect.map(pool.transitions(idOf(number)), (all) => all.map(({ from, to }) => [from, to]))
  const change = (to: PoolChange["to"]): PoolChange => ({
    id: idOf(1),
    from: "pend",
    fromBatchNum: null,
    to,
    batchNum: to === null ? null : 4,
    reason: "Test"
  })

  for (const fate of ["unsent", "forgotten", "unanswered"] as const) {
    it.live(`makes each write once if its commit is ${fate}`, () =>
      Effect.gen(function*() {
        const atCommit = <A, E>(write: Effect.Effect<A, E>) => withFailure(/^COMMIT$/u, fate, write)
        assert.deepStrictEqual(
          yield* atCommit(pool.addTransaction(pendingExit(1), owners, unlimited)),
          { kind: "added" }
        )
        assert.deepStrictEqual([yield* steps(1), yield* pool.counts, yield* pool.pendingOf(256)], [
          [[null, "pend"]],
          { pend: 1, fing: 0, fged: 0, invl: 0 },
          1
        ])
        const mark = { batchNum: 3, ethereumBlockHash: "0x3" }
        assert.deepStrictEqual(
          yield* atCommit(pool.reconcile({ from: null, to: mark, changes: [] }, 2000)),
          []
        )
        const next = { batchNum: 4, ethereumBlockHash: "0x4" }
        assert.deepStrictEqual(
          yield* atCommit(
            pool.reconcile({ from: mark, to: next, changes: [change("fged")] }, 2000)
          ),
          [idOf(1)]
        )
        assert.deepStrictEqual(yield* steps(1), [[null, "pend"], ["pend", "fged"]])
        const back: PoolChange = { ...change(null), from: "fged", fromBatchNum: 4 }
        assert.deepStrictEqual(yield* atCommit(pool.change([back], 3000)), [idOf(1)])
        assert.deepStrictEqual(yield* steps(1), [[null, "pend"], ["pend", "fged"], ["fged", null]])
        assert.deepStrictEqual(yield* pool.counts, { pend: 0, fing: 0, fged: 0, invl: 0 })
        assert.deepStrictEqual(yield* pool.reconciledBatchesBelow({ batchNum: 9, limit: 9 }), [
          next,
          mark
        ])
      }))

    it.live(`reports an authorization whose statement is ${fate} as added`, () =>
      Effect.gen(function*() {
        const authorization = authorizationOf(1)
        assert.deepStrictEqual(
          yield* withFailure(
            /INTO pool_authorization/u,
            fate,
            pool.addAuthorization(authorization)
          ),
          { added: true, authorization }
        )
        assert.deepStrictEqual(yield* pool.addAuthorization({ ...authorization, timestampMs: 6 }), {
          added: false,
          authorization
        })
      }))
  }

  for (const statement of [/FOR UPDATE/u, /FROM unnest/u, /WITH written/u]) {
    it.live(`continues if the connection is lost at ${statement.source}`, () =>
      Effect.gen(function*() {
        for (const [number, fate] of (["unsent", "unanswered"] as const).entries()) {
          assert.deepStrictEqual(
            yield* withFailure(
              statement,
              fate,
              pool.addTransaction(pendingExit(number), owners, unlimited)
            ),
            { kind: "added" }
          )
          assert.deepStrictEqual(yield* steps(number), [[null, "pend"]])
        }
        assert.strictEqual((yield* pool.counts).pend, 2)
      }))
  }

  it.live("does not guess the outcome of a commit if too many others have followed", () =>
    Effect.gen(function*() {
      yield* pool.addTransaction(pendingExit(1), owners, unlimited)
      const unanswered = proxy.failNext(/^COMMIT$/u, "unanswered").then(() => {
        proxy.refusing = true
      })
      const failing = yield* Effect.forkChild(Effect.flip(pool.change([change("fing")], 2000)))
      yield* Effect.promise(() => unanswered)
      yield* executed(
        testDatabase.services,
        "DELETE FROM pool_write",
        `UPDATE pool SET next_write = next_write + ${WRITES_RETAINED}`
      )
      proxy.refusing = false
      const failure = yield* Fiber.join(failing)
      assert.deepStrictEqual([failure._tag, failure.retry], ["StoreFailure", false])
      assert.match(failure.message, /may have been committed/u)
      // nothing was done twice
      assert.deepStrictEqual(yield* steps(1), [[null, "pend"], ["pend", "fing"]])
      const remaining = yield* executed(
        testDatabase.services,
        "SELECT count(*)::int AS count FROM pool_write"
      )
      yield* pool.change(
        [{ ...change("pend"), from: "fing", fromBatchNum: 4, batchNum: null }],
        3000
      )
      assert.deepStrictEqual([
        remaining,
        yield* executed(testDatabase.services, "SELECT count(*)::int AS count FROM pool_write")
      ], [[[{ count: 0 }]], [[{ count: 1 }]]])
    }))

  it.live("answers each post as if nothing had happened while connections are closed again and again", () =>
    Effect.gen(function*() {
      const numbers = Array.from({ length: 150 }, (_, number) => number)
      const answers = yield* Effect.forEach(numbers, (number) =>
        Effect.andThen(
          number % 10 === 9 ? Effect.sync(() => proxy.cut()) : Effect.void,
          pool.addTransaction(pendingExit(number), owners, unlimited)
        ), { concurrency: 8 })
      assert.deepStrictEqual(answers, numbers.map(() => ({ kind: "added" })))
      assert.strictEqual((yield* pool.counts).pend, numbers.length)
      assert.deepStrictEqual(
        (yield* historyOf(testDatabase.services)).map(({ id }) => `0x${id}`).toSorted(),
        numbers.map(idOf).toSorted()
      )
    }))

  it.effect("fails with a failure that may pass while the server cannot be reached, and works again afterwards", () =>
    Effect.gen(function*() {
      proxy.refusing = true
      proxy.cut()
      const failing = yield* Effect.forkChild(Effect.flip(pool.change([change("fing")], 1000)))
      while (failing.pollUnsafe() === undefined) {
        yield* TestClock.adjust("1 second")
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      const failure = yield* Fiber.join(failing)
      assert.deepStrictEqual([failure._tag, failure.retry], ["StoreFailure", true])
      proxy.refusing = false
      assert.deepStrictEqual(yield* pool.addTransaction(pendingExit(1), owners, unlimited), {
        kind: "added"
      })
    }))
})
