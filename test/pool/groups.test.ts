/* The life of atomic groups in the pool. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { L2Feed, PoolTransaction, PostedTransaction } from "../../core/domain/mod.ts"
import { PoolStore } from "../../core/ports/mod.ts"
import { Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"
import { groupOf } from "./_groups.ts"
import {
  batchOf,
  batchOfSelection,
  nodeLayer,
  openChain,
  postedOf,
  wrongSignature
} from "./_node.ts"

const two = [
  postedOf({ fee: 130 }),
  postedOf({ fromAccountIndex: 257, toAccountIndex: 256, fee: 100 })
] as const
const group = groupOf(two)
const ids = two.map(({ id }) => id)

/** The opening of the chain has two batches, so the next batch is 3. */
const opened = Effect.gen(function*() {
  const chain = yield* openChain
  const ledger = yield* Ledger
  const pool = yield* Pool
  const store = yield* PoolStore
  const submission = yield* Submission
  const stateOf = ({ batchNum, state }: PoolTransaction) =>
    batchNum === null ? state : `${state} ${batchNum}`
  return {
    chain,
    ledger,
    pool,
    store,
    submission,
    forge: (batchNum: number, ...forged: ReadonlyArray<PostedTransaction>) =>
      ledger.applyBlock(
        chain.grow({ batches: [batchOf(batchNum, { l2: forged.map(l2Of) })] })
      ),
    rollBack: Effect.suspend(() => ledger.rollBack(chain.cut(1).toBlock)),
    /** The states of the transactions of the group. */
    states: Effect.map(
      store.members([group.id]),
      (rows) => rows.map(({ transaction }) => stateOf(transaction))
    ),
    selected: (maxTransactions: number) =>
      Effect.map(
        pool.select({ maxTransactions }),
        ({ skippedTransactions, transactions }) => ({
          ids: transactions.map(({ transaction }) => transaction.id),
          skipped: skippedTransactions.map(({ code, reason }) => `${code} ${reason}`).toSorted()
        })
      )
  }
})

const l2Of = (
  { amount, fee, fromAccountIndex, nonce, toAccountIndex }: PostedTransaction
): L2Feed => ({ amount, fee, fromAccountIndex, nonce, toAccountIndex: toAccountIndex! })

/** Another transaction with the sender and nonce of the first one of the group. */
const rival = postedOf({ amount: 5n })

describe("an atomic group", () => {
  it.effect("is stored as a whole; posting it again returns its ids and changes nothing", () =>
    Effect.gen(function*() {
      const { states, store, submission } = yield* opened
      assert.deepStrictEqual(yield* submission.submitGroup(group), { ids, stored: true })
      assert.deepStrictEqual(yield* submission.submitGroup(group), { ids, stored: false })
      assert.deepStrictEqual(yield* states, ["pend", "pend"])
      for (const id of ids) assert.strictEqual((yield* store.transitions(id)).length, 1)
      const [first] = yield* store.members([group.id])
      assert.deepStrictEqual(first!.transaction.group, {
        id: group.id,
        position: 0,
        size: 2,
        requestOffset: 1
      })
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("is refused if other content is stored under one of its ids", () =>
    Effect.gen(function*() {
      const { states, submission } = yield* opened
      yield* submission.submitTransaction(two[0])
      const conflict = yield* Effect.flip(submission.submitGroup(group))
      assert.strictEqual(conflict._tag, "SubmissionConflict")
      assert.deepStrictEqual(yield* states, [])
      yield* (yield* Pool).remove([two[0].id], "Test")
      yield* submission.submitGroup(group)
      const other = {
        ...group,
        transactions: group.transactions.map((each) => ({ ...each, signature: "1".repeat(128) }))
      }
      assert.strictEqual(
        (yield* Effect.flip(submission.submitGroup(other)))._tag,
        "SubmissionConflict"
      )
      // a transaction alone does not replace that of the group
      assert.strictEqual(
        (yield* Effect.flip(submission.submitTransaction(two[1])))._tag,
        "SubmissionConflict"
      )
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("is refused with the violations of all its transactions against the ledger, or all invalid signatures", () =>
    Effect.gen(function*() {
      const { submission } = yield* opened
      const pointers = (...all: ReadonlyArray<PostedTransaction>) =>
        Effect.map(
          Effect.flip(submission.submitGroup(groupOf(all))),
          (failure) =>
            failure._tag === "SubmissionRefused"
              ? failure.faults.map(({ parameter }) => parameter)
              : failure._tag
        )
      assert.deepStrictEqual(
        yield* pointers(
          postedOf({ toAccountIndex: 999 }),
          postedOf({ fromAccountIndex: 998, toAccountIndex: 256 })
        ),
        ["/transactions/0/toAccountIndex", "/transactions/1/fromAccountIndex"]
      )
      const unsigned = two.map((each) => ({ ...each, signature: wrongSignature }))
      assert.deepStrictEqual(yield* pointers(...unsigned), [
        "/transactions/0/signature",
        "/transactions/1/signature"
      ])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("needs space for all its transactions", () =>
    Effect.gen(function*() {
      const { states, submission } = yield* opened
      yield* submission.submitTransaction(postedOf({ fromAccountIndex: 258 }))
      const full = yield* Effect.flip(submission.submitGroup(group))
      assert(full._tag === "PoolFull")
      assert.deepStrictEqual([full.limit, full.fromAccountIndex], ["pendingMax", 256])
      assert.deepStrictEqual(yield* states, [])
    }).pipe(Effect.provide(nodeLayer({ pendingMax: 2 }))))

  it.effect("needs an average fee within the bounds", () =>
    Effect.gen(function*() {
      const { submission } = yield* opened
      // a fee of nothing and one of as many units as the amount, at a million US dollars for 10^18
      const [free, paid] = [
        postedOf({ fee: 0 }),
        postedOf({ fromAccountIndex: 257, toAccountIndex: 256, fee: 192, amount: 2n * 10n ** 6n })
      ]
      const faults = (...all: ReadonlyArray<PostedTransaction>) =>
        Effect.map(
          Effect.flip(submission.submitGroup(groupOf(all))),
          (failure) =>
            failure._tag === "SubmissionRefused"
              ? failure.faults.map(({ parameter, ruleName }) => `${parameter} ${ruleName}`)
              : []
        )
      assert.deepStrictEqual(
        yield* faults(free, postedOf({ fromAccountIndex: 257, toAccountIndex: 256, fee: 0 })),
        ["/transactions feeTooLow"]
      )
      assert.deepStrictEqual(yield* faults(free, { ...paid, ...withAmount(8n) }), [
        "/transactions feeTooBig"
      ])
      assert.isTrue((yield* submission.submitGroup(groupOf([free, paid]))).stored)
    }).pipe(Effect.provide(nodeLayer({ minFeeUSD: 0.5e-6, maxFeeUSD: 3e-6 }))))

  it.effect("is selected in its order at its average fee, or not at all", () =>
    Effect.gen(function*() {
      const { selected, submission } = yield* opened
      const between = postedOf({ fromAccountIndex: 258, fee: 120 })
      yield* submission.submitGroup(group)
      yield* submission.submitTransaction(between)
      const [dear, cheap] = [
        postedOf({ fromAccountIndex: 258, nonce: 1n, fee: 129 }),
        postedOf({ fromAccountIndex: 259, toAccountIndex: 258, fee: 99 })
      ]
      yield* submission.submitTransaction(dear)
      yield* submission.submitTransaction(cheap)
      assert.deepStrictEqual((yield* selected(9)).ids, [
        between.id,
        dear.id,
        ...ids,
        cheap.id
      ])
      const full = yield* selected(3)
      assert.deepStrictEqual(full.ids, [between.id, dear.id, cheap.id])
      assert.deepStrictEqual(full.skipped, [
        "17 the batch has no space for all transactions that require each other",
        `18 The transaction ${
          two[1].id
        } of its group cannot be forged in the same batch: the batch has no space for all transactions that require each other`
      ])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("waits for the nonces of all its senders, and stays pending if one of them cannot pay", () =>
    Effect.gen(function*() {
      const { pool, selected, states, submission } = yield* opened
      const late = groupOf([postedOf({ nonce: 1n, fee: 140 }), {
        ...two[1],
        fee: 140,
        ...idOf(140)
      }])
      yield* submission.submitGroup(late)
      assert.deepStrictEqual((yield* selected(9)).ids, [])
      const first = postedOf({ fee: 90 })
      yield* submission.submitTransaction(first)
      assert.deepStrictEqual((yield* selected(9)).ids, [
        first.id,
        ...late.transactions.map(({ id }) => id)
      ])
      yield* pool.remove([first.id, late.transactions[0]!.id], "Test")
      yield* submission.submitGroup(group)
      const poor = groupOf([
        postedOf({ fromAccountIndex: 258, toAccountIndex: 256 }),
        postedOf({ fromAccountIndex: 259, toAccountIndex: 256, amount: 10n ** 13n })
      ])
      yield* submission.submitGroup(poor)
      const { ids: found, skipped } = yield* selected(9)
      assert.deepStrictEqual(found, ids)
      assert.deepStrictEqual(skipped.map((text) => text.slice(0, 2)), ["11", "18"])
      assert.deepStrictEqual(yield* states, ["pend", "pend"])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("starts and ends forging as a whole", () =>
    Effect.gen(function*() {
      const { ledger, chain, pool, rollBack, states, submission } = yield* opened
      yield* submission.submitGroup(group)
      assert.deepStrictEqual(yield* pool.startForging([ids[0]!], 3), [])
      const selection = yield* pool.select({ maxTransactions: 9 })
      assert.deepStrictEqual(yield* pool.startForging(ids, 3), ids)
      assert.deepStrictEqual(yield* pool.doneForging([ids[1]!], 3), [])
      assert.deepStrictEqual(yield* pool.doneForging(ids, 3), ids)
      yield* ledger.applyBlock(chain.grow({ batches: [batchOfSelection(selection)] }))
      assert.deepStrictEqual(yield* states, ["fged 3", "fged 3"])
      yield* rollBack
      assert.deepStrictEqual(yield* states, ["pend", "pend"])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("is invalid since the first batch that uses a nonce of it, until that batch is rolled back", () =>
    Effect.gen(function*() {
      const { forge, pool, rollBack, states, store, submission } = yield* opened
      yield* submission.submitGroup(group)
      yield* forge(3, rival)
      assert.deepStrictEqual(yield* states, ["invl 3", "invl 3"])
      assert.strictEqual(
        (yield* store.transitions(ids[1]!)).at(-1)!.reason,
        `Transaction ${ids[0]} of its group is invalid since batch 3`
      )
      // another node forges the second one alone
      yield* forge(4, two[1])
      assert.deepStrictEqual(yield* states, ["invl 3", "fged 4"])
      yield* rollBack
      assert.deepStrictEqual(yield* states, ["invl 3", "invl 3"])
      yield* rollBack
      assert.deepStrictEqual(yield* states, ["pend", "pend"])
      assert.deepStrictEqual(
        (yield* pool.select({ maxTransactions: 9 })).transactions.map(({ transaction }) =>
          transaction.id
        ),
        ids
      )
      // another node forges a part of it
      yield* forge(3, two[0])
      assert.deepStrictEqual(yield* states, ["fged 3", "invl 3"])
      yield* rollBack
      assert.deepStrictEqual(yield* states, ["pend", "pend"])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("becomes invalid and leaves the pool as a whole; none of its transactions can be replaced", () =>
    Effect.gen(function*() {
      const { forge, pool, states, submission } = yield* opened
      yield* submission.submitGroup(group)
      const failure = yield* Effect.flip(submission.replaceTransaction(ids[0]!, rival))
      assert.strictEqual(
        failure.message,
        `Transaction ${ids[0]} belongs to group ${group.id}: it cannot be replaced alone`
      )
      assert.deepStrictEqual(
        yield* pool.invalidate([{ id: ids[1]!, reason: "Test" }], 3),
        [ids[1]!, ids[0]!]
      )
      assert.deepStrictEqual(yield* states, ["invl 3", "invl 3"])
      assert.deepStrictEqual(yield* pool.rollBack(2), ids)
      assert.deepStrictEqual(yield* pool.remove([ids[0]!], "Test"), ids)
      assert.deepStrictEqual(yield* states, [])

      yield* submission.submitGroup(group)
      yield* forge(3, rival)
      yield* forge(4, two[1])
      const purge = pool.purge({
        ttlMs: 1e9,
        currentBatch: 9,
        safetyPeriodBatches: 0,
        capacity: 100
      })
      // one of them may still be rolled back to invalid
      assert.deepStrictEqual(yield* purge, [])
      assert.deepStrictEqual(yield* pool.remove([ids[0]!], "Test"), [])
      yield* forge(5)
      assert.sameMembers([...yield* purge], ids)
      assert.deepStrictEqual(yield* states, [])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("is invalid since the last batch of one of its transactions, and is purged", () =>
    Effect.gen(function*() {
      const { forge, pool, selected, submission } = yield* opened
      const limited = groupOf([{ ...two[0], maxNumBatch: 3 }, two[1]])
      yield* submission.submitGroup(limited)
      yield* forge(3)
      assert.deepStrictEqual(yield* pool.startForging(ids, 4), [])
      assert.deepStrictEqual(yield* selected(9), { ids: [], skipped: [] })
      for (
        const [position, reason] of [
          "Batch 3 is the last one that may forge it",
          `Transaction ${ids[0]} of its group is invalid since batch 3`
        ].entries()
      ) {
        const { batchNum, to, ...last } = (yield* pool.transitions(ids[position]!)).at(-1)!
        assert.deepStrictEqual([to, batchNum, last.reason], ["invl", 3, reason])
      }
      yield* forge(4)
      assert.sameMembers([
        ...yield* pool.purge({ ttlMs: 1e9, currentBatch: 9, safetyPeriodBatches: 0, capacity: 9 })
      ], ids)
    }).pipe(Effect.provide(nodeLayer())))
})

const withAmount = (millions: bigint) =>
  postedOf({ fromAccountIndex: 257, toAccountIndex: 256, fee: 192, amount: millions * 10n ** 6n })
const idOf = (fee: number) => ({
  id: postedOf({ fromAccountIndex: 257, toAccountIndex: 256, fee }).id
})
