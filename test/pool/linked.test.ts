/* Transactions that were posted alone and require another one in the same batch. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PostedTransaction } from "../../core/domain/mod.ts"
import { Pool, Submission } from "../../core/use_cases/mod.ts"
import { groupOf, requestOf } from "./_groups.ts"
import { nodeLayer, openChain, postedOf } from "./_node.ts"

/** A group with an average fee between those of `dear` and `cheap`. */
const group = groupOf([
  postedOf({ fromAccountIndex: 257, toAccountIndex: 256, fee: 121 }),
  postedOf({ fromAccountIndex: 258, toAccountIndex: 256, fee: 120 })
])
const members = group.transactions.map(({ id }) => id)
const [firstMember, secondMember] = group.transactions

const opened = Effect.gen(function*() {
  yield* openChain
  const [pool, submission] = [yield* Pool, yield* Submission]
  return {
    pool,
    post: (...all: ReadonlyArray<PostedTransaction>) =>
      Effect.forEach(all, (posted) => submission.submitTransaction(posted), { discard: true }),
    postGroup: submission.submitGroup(group),
    selected: (maxTransactions: number) =>
      Effect.map(
        pool.select({ maxTransactions }),
        ({ transactions }) => transactions.map(({ transaction }) => transaction.id)
      ),
    reasonOf: (id: string) =>
      Effect.map(pool.skippedTransaction(id), (skipped) => skipped?.reason ?? null)
  }
})

describe("a transaction that requires one of a group", () => {
  for (const [what, required] of [["first", firstMember!], ["second", secondMember!]] as const) {
    const dear = postedOf({ fee: 150, request: requestOf(required) })
    const cheap = postedOf({ fee: 90, request: requestOf(required) })

    it.effect(`is selected before the whole group if its fee is greater, if it requires the ${what}`, () =>
      Effect.gen(function*() {
        const { post, postGroup, selected } = yield* opened
        yield* postGroup
        yield* post(dear)
        assert.deepStrictEqual(yield* selected(9), [dear.id, ...members])
      }).pipe(Effect.provide(nodeLayer())))

    it.effect(`is selected after the group if its fee is less, if it requires the ${what}`, () =>
      Effect.gen(function*() {
        const { post, postGroup, selected } = yield* opened
        yield* post(cheap)
        yield* postGroup
        assert.deepStrictEqual(yield* selected(9), [...members, cheap.id])
      }).pipe(Effect.provide(nodeLayer())))
  }

  it.effect("is selected with the group through another one that it requires", () =>
    Effect.gen(function*() {
      const { post, postGroup, selected } = yield* opened
      const second = postedOf({
        fromAccountIndex: 259,
        toAccountIndex: 256,
        fee: 80,
        request: requestOf(secondMember!)
      })
      const first = postedOf({ fee: 150, request: requestOf(second) })
      yield* post(first, second)
      yield* postGroup
      assert.deepStrictEqual(yield* selected(9), [first.id, second.id, ...members])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("waits with the group for the nonces of all its senders", () =>
    Effect.gen(function*() {
      const { pool, post, selected } = yield* opened
      const before = postedOf({ fromAccountIndex: 258, toAccountIndex: 256, fee: 70 })
      const late = groupOf([
        postedOf({ fromAccountIndex: 257, toAccountIndex: 256, fee: 121 }),
        postedOf({ fromAccountIndex: 258, toAccountIndex: 256, fee: 120, nonce: 1n })
      ])
      const dear = postedOf({ fee: 150, request: requestOf(late.transactions[0]!) })
      yield* (yield* Submission).submitGroup(late)
      yield* post(dear)
      assert.deepStrictEqual(yield* selected(9), [])
      yield* post(before)
      const ids = [before.id, dear.id, ...late.transactions.map(({ id }) => id)]
      assert.deepStrictEqual(yield* selected(9), ids)
      assert.deepStrictEqual(yield* pool.startForging(ids, 3), ids)
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("stays pending with a reason if the group has no space, or is not in the pool", () =>
    Effect.gen(function*() {
      const { pool, post, postGroup, reasonOf, selected } = yield* opened
      const dear = postedOf({ fee: 150, request: requestOf(firstMember!) })
      yield* postGroup
      yield* post(dear)
      // the group has space without it
      assert.deepStrictEqual(yield* selected(2), members)
      assert.strictEqual(
        yield* reasonOf(dear.id),
        `The requested transaction ${
          members[1]
        } cannot be forged in the same batch: the batch has no space for all transactions that require each other`
      )
      yield* pool.remove([members[0]!], "Test")
      assert.deepStrictEqual(yield* selected(9), [])
      assert.strictEqual(
        yield* reasonOf(dear.id),
        "The requested transaction cannot be forged in the same batch: it is not pending"
      )
      assert.strictEqual((yield* pool.transaction(dear.id))?.state, "pend")
    }).pipe(Effect.provide(nodeLayer())))
})

describe("a transaction that requires one with a future nonce", () => {
  it.effect("is selected with it as soon as another one makes the nonce current", () =>
    Effect.gen(function*() {
      const { post, selected } = yield* opened
      const before = postedOf({ fromAccountIndex: 257, toAccountIndex: 256, fee: 70 })
      const required = postedOf({ fromAccountIndex: 257, toAccountIndex: 256, fee: 80, nonce: 1n })
      const dear = postedOf({ fee: 150, request: requestOf(required) })
      yield* post(dear, required, before)
      assert.deepStrictEqual(yield* selected(9), [before.id, dear.id, required.id])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("is selected after another one that makes the nonce current and requires the same", () =>
    Effect.gen(function*() {
      const { post, selected } = yield* opened
      const required = postedOf({ fromAccountIndex: 257, toAccountIndex: 256, fee: 80, nonce: 1n })
      const before = postedOf({
        fromAccountIndex: 257,
        toAccountIndex: 256,
        fee: 120,
        request: requestOf(required)
      })
      const dear = postedOf({ fee: 150, request: requestOf(required) })
      yield* post(dear, required, before)
      assert.deepStrictEqual(yield* selected(9), [before.id, required.id, dear.id])
    }).pipe(Effect.provide(nodeLayer())))
})
