/* Replacing a pending or invalid transaction. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PostedTransaction } from "../../core/domain/mod.ts"
import { PoolStore } from "../../core/ports/mod.ts"
import { Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"
import { groupOf } from "./_groups.ts"
import {
  batchOf,
  batchOfSelection,
  nodeLayer,
  openChain,
  postedOf,
  type VerificationCounts,
  wrongSignature
} from "./_node.ts"

const old = postedOf()
const better = postedOf({ fee: 140 })

describe("replacing a transaction", () => {
  it.effect("removes the old one and adds the new one, once", () =>
    Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      const pool = yield* Pool
      const store = yield* PoolStore
      yield* submission.submitTransaction(old)
      const replace = submission.replaceTransaction(old.id, better)
      assert.deepStrictEqual(yield* replace, { id: better.id, stored: true })
      assert.deepStrictEqual(yield* replace, { id: better.id, stored: false })
      assert.isNull(yield* store.transaction(old.id))
      assert.strictEqual((yield* store.counts).pend, 1)
      assert.strictEqual(
        (yield* pool.transitions(old.id)).at(-1)!.reason,
        `Replaced by transaction ${better.id}`
      )
      const { transactions } = yield* pool.select({ maxTransactions: 9 })
      assert.deepStrictEqual(transactions.map(({ transaction }) => transaction.id), [better.id])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("replaces an invalid one within the limits, and a full pool's pending one", () =>
    Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      const pool = yield* Pool
      yield* submission.submitTransaction(old)
      yield* submission.replaceTransaction(old.id, better)
      yield* pool.invalidate([{ id: better.id, reason: "The host said so" }], 2)
      const other = postedOf({ nonce: 1n })
      yield* submission.submitTransaction(other)
      const third = postedOf({ fee: 150 })
      const full = yield* Effect.flip(submission.replaceTransaction(better.id, third))
      assert.strictEqual(full._tag, "PoolFull")
      yield* pool.remove([other.id], "Room")
      assert.isTrue((yield* submission.replaceTransaction(better.id, third)).stored)
    }).pipe(Effect.provide(nodeLayer({ pendingMax: 1 }))))

  it.effect("refuses another sender or nonce, a wrong signature, and what is not there or is forging", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const submission = yield* Submission
      const pool = yield* Pool
      const store = yield* PoolStore
      const failure = (posted: typeof old, replaced = old.id) =>
        Effect.map(
          Effect.flip(submission.replaceTransaction(replaced, posted)),
          (error) =>
            error._tag === "SubmissionRefused"
              ? error.faults.map(({ parameter }) => parameter).join()
              : error.message
        )
      assert.strictEqual(yield* failure(better), `There is no transaction ${old.id} in the pool`)
      yield* submission.submitTransaction(old)
      assert.strictEqual(yield* failure(postedOf({ nonce: 1n })), "/nonce")
      assert.strictEqual(
        yield* failure(postedOf({ fromAccountIndex: 258, fee: 140 })),
        "/fromAccountIndex"
      )
      assert.strictEqual(yield* failure({ ...better, signature: wrongSignature }), "/signature")
      assert.strictEqual(yield* failure({ ...better, id: old.id }), "/id")
      const selection = yield* pool.select({ maxTransactions: 9 })
      yield* pool.startForging([old.id], selection.batchNum)
      assert.strictEqual(
        yield* failure(better),
        `Transaction ${old.id} is forging: only a pending or invalid transaction can be replaced`
      )
      yield* (yield* Ledger).applyBlock(chain.grow({ batches: [batchOfSelection(selection)] }))
      assert.strictEqual((yield* store.transaction(old.id))!.state, "fged")
      assert.match(yield* failure(better), /is forged: only/u)
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("of a replacement and a coordinator at the same time, only one succeeds", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const submission = yield* Submission
      const pool = yield* Pool
      const store = yield* PoolStore
      yield* submission.submitTransaction(old)
      const { batchNum } = yield* pool.select({ maxTransactions: 9 })
      yield* submission.replaceTransaction(old.id, better)
      assert.deepStrictEqual(yield* pool.startForging([old.id], batchNum), [])
      // the nonce is used by another node: the replacement becomes invalid like any other
      const { amount, fromAccountIndex, nonce } = old
      yield* (yield* Ledger).applyBlock(chain.grow({
        batches: [batchOf(3, {
          l2: [{ amount, fromAccountIndex, nonce, fee: 0, toAccountIndex: 258 }]
        })]
      }))
      assert.strictEqual((yield* store.transaction(better.id))!.state, "invl")
    }).pipe(Effect.provide(nodeLayer())))
})

/** Returns the old transaction with other content under the same id, signed with this digit. */
const corrected = (digit: string, parts: Partial<PostedTransaction> = {}): PostedTransaction => ({
  ...old,
  toAccountIndex: 258,
  ...parts,
  signature: digit.repeat(128)
})
const ofNonce = { fromAccountIndex: 256, nonce: 0n }

/** Returns the faults of a conflict. */
const conflictOf = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  effect: Effect.Effect<A, E, R>
) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.strictEqual(error._tag, "SubmissionConflict")
    return error.message
  })

describe("correcting a transaction under its id", () => {
  it.effect("replaces the destination or the last batch, by id and by nonce, each content once", () =>
    Effect.gen(function*() {
      yield* openChain
      const [pool, store, submission] = [yield* Pool, yield* PoolStore, yield* Submission]
      yield* submission.submitTransaction(old)
      const [first] = yield* store.pooled([old.id])
      const contents = [
        [old.id, corrected("1")],
        [ofNonce, corrected("2", { toAccountIndex: 257, maxNumBatch: 9 })],
        [
          old.id,
          corrected("3", {
            type: "TransferToEthAddr",
            toAccountIndex: null,
            toAddress: `0x${"1".repeat(40)}`
          })
        ],
        [ofNonce, corrected("4", { type: "Exit", toAccountIndex: 1 })]
      ] as const
      for (const [replaced, content] of contents) {
        const replace = submission.replaceTransaction(replaced, content)
        assert.deepStrictEqual(yield* replace, { id: old.id, stored: true })
        assert.deepStrictEqual(yield* replace, { id: old.id, stored: false })
        const [row] = yield* store.pooled([old.id])
        const { batchNum: _, state, timestampMs: __, ...posted } = row!.transaction
        assert.deepStrictEqual([posted, state], [content, "pend"])
        assert.isAbove(row!.arrival, first!.arrival)
      }
      // a post without replacement is a conflict, as before
      yield* conflictOf(submission.submitTransaction(old))
      assert.deepStrictEqual((yield* store.counts).pend, 1)
      assert.deepStrictEqual(
        (yield* pool.transitions(old.id)).map(({ to, reason }) => [to, reason.slice(-3)]),
        [
          ["pend", "ted"],
          ...["000", "111", "222", "333"].flatMap((end) => [[null, end], ["pend", "ted"]])
        ]
      )
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("refuses content that was replaced, so that nobody but its sender can bring it back", () =>
    Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      const store = yield* PoolStore
      const contents = [corrected("a"), corrected("b", { toAccountIndex: 257 }), corrected("c")]
      yield* submission.submitTransaction(old)
      for (const content of contents) yield* submission.replaceTransaction(old.id, content)
      for (const content of [old, ...contents.slice(0, 2)]) {
        for (const signature of [content.signature, content.signature.toUpperCase()]) {
          for (const replaced of [old.id, ofNonce]) {
            assert.match(
              yield* conflictOf(
                submission.replaceTransaction(replaced, { ...content, signature })
              ),
              /this content was replaced/u
            )
          }
        }
      }
      assert.strictEqual((yield* store.transaction(old.id))!.signature, contents[2]!.signature)
      // the sender signs the first destination again, with another last batch
      const back = corrected("d", { toAccountIndex: 257, maxNumBatch: 20 })
      assert.isTrue((yield* submission.replaceTransaction(old.id, back)).stored)
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("is selected and forged with its new content, also if a selection has seen the old one", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [ledger, pool, store] = [yield* Ledger, yield* Pool, yield* PoolStore]
      const submission = yield* Submission
      yield* submission.submitTransaction(old)
      const before = yield* pool.select({ maxTransactions: 9 })
      yield* submission.replaceTransaction(old.id, corrected("1"))
      const [stale] = before.transactions
      for (const selected of [old.id, stale!.transaction]) {
        assert.deepStrictEqual(yield* pool.startForging([selected], before.batchNum), [])
      }
      const selection = yield* pool.select({ maxTransactions: 9 })
      assert.strictEqual(selection.transactions[0]!.transaction.toAccountIndex, 258)
      assert.deepStrictEqual(yield* pool.startForging([stale!.transaction], before.batchNum), [])
      assert.deepStrictEqual(
        yield* pool.startForging([old.id], selection.batchNum),
        [old.id]
      )
      // it is being forged
      assert.match(
        yield* conflictOf(
          submission.replaceTransaction(old.id, corrected("2", { maxNumBatch: 9 }))
        ),
        /being forged/u
      )
      yield* ledger.applyBlock(chain.grow({ batches: [batchOfSelection(selection)] }))
      assert.strictEqual((yield* store.transaction(old.id))!.state, "fged")
      assert.match(
        yield* conflictOf(submission.replaceTransaction(ofNonce, corrected("3"))),
        /this one is forged/u
      )
      // a rollback reopens the new content
      yield* ledger.rollBack(chain.cut(1).toBlock)
      const { state, toAccountIndex } = (yield* store.transaction(old.id))!
      assert.deepStrictEqual([state, toAccountIndex], ["pend", 258])
      assert.isTrue((yield* submission.replaceTransaction(old.id, corrected("4"))).stored)
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("is invalid if another node forges the old content, and pending again after a rollback", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [ledger, store] = [yield* Ledger, yield* PoolStore]
      const submission = yield* Submission
      yield* submission.submitTransaction(old)
      yield* submission.replaceTransaction(old.id, corrected("1"))
      const { amount, fee, fromAccountIndex, nonce } = old
      yield* ledger.applyBlock(chain.grow({
        batches: [batchOf(3, {
          l2: [{ amount, fee, fromAccountIndex, nonce, toAccountIndex: 257 }]
        })]
      }))
      assert.strictEqual((yield* store.transaction(old.id))!.state, "invl")
      yield* ledger.rollBack(chain.cut(1).toBlock)
      const { state, toAccountIndex } = (yield* store.transaction(old.id))!
      assert.deepStrictEqual([state, toAccountIndex], ["pend", 258])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("makes an expired one pending again with a later last batch", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const store = yield* PoolStore
      const submission = yield* Submission
      yield* submission.submitTransaction({ ...old, maxNumBatch: 3 })
      yield* (yield* Ledger).applyBlock(chain.grow({ batches: [batchOf(3, {})] }))
      assert.strictEqual((yield* store.transaction(old.id))!.state, "invl")
      const expired = yield* Effect.flip(
        submission.replaceTransaction(old.id, corrected("1", { maxNumBatch: 3 }))
      )
      assert.strictEqual(expired._tag, "SubmissionRefused")
      yield* submission.replaceTransaction(old.id, corrected("1", { maxNumBatch: 9 }))
      assert.strictEqual((yield* store.transaction(old.id))!.state, "pend")
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("is refused with a wrong signature, under the id of another one, and in a group", () =>
    Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      yield* submission.submitTransaction(old)
      yield* submission.submitTransaction(better)
      const wrong = yield* Effect.flip(
        submission.replaceTransaction(old.id, corrected("f"))
      )
      assert.strictEqual(wrong._tag, "SubmissionRefused")
      yield* conflictOf(submission.replaceTransaction(better.id, corrected("1")))
      const group = groupOf([
        postedOf({ nonce: 5n }),
        postedOf({ fromAccountIndex: 257, nonce: 0n, toAccountIndex: 256 })
      ])
      yield* submission.submitGroup(group)
      const { requestOffset: _, ...member } = group.transactions[0]!
      assert.match(
        yield* conflictOf(
          submission.replaceTransaction(member.id, { ...member, toAccountIndex: 258 })
        ),
        /group .* is posted as a whole/u
      )
      // of two with one nonce, the one of the posted id
      assert.isTrue((yield* submission.replaceTransaction(ofNonce, corrected("1"))).stored)
    }).pipe(Effect.provide(nodeLayer())))
})

describe("correcting a transaction while it changes", () => {
  for (
    const [what, interfere, expected] of [
      ["forging starts", "startForging", "SubmissionConflict"],
      ["it is removed", "remove", "NothingToReplace"],
      ["the same correction arrives", "same", "stored"],
      ["a later correction arrives", "later", "stored"]
    ] as const
  ) {
    const verified: VerificationCounts = { count: 0 }
    it.effect(`compares what it read when it writes: ${what} during the checks`, () =>
      Effect.gen(function*() {
        yield* openChain
        const [pool, store, submission] = [yield* Pool, yield* PoolStore, yield* Submission]
        yield* submission.submitTransaction(old)
        const { batchNum } = yield* pool.select({ maxTransactions: 9 })
        const later = corrected("2", { maxNumBatch: 9 })
        const actions: { readonly [name in typeof interfere]: Effect.Effect<unknown, unknown> } = {
          startForging: pool.startForging([old.id], batchNum),
          remove: pool.remove([old.id], "An operator said so"),
          same: submission.replaceTransaction(old.id, corrected("1")),
          later: submission.replaceTransaction(old.id, later)
        }
        verified.hook = Effect.suspend(() => {
          delete verified.hook
          return Effect.orDie(Effect.asVoid(actions[interfere]))
        })
        const result = yield* Effect.result(
          submission.replaceTransaction(old.id, corrected("1"))
        )
        assert.strictEqual(
          result._tag === "Failure" ? result.failure._tag : "stored",
          expected
        )
        const found = yield* store.transaction(old.id)
        const signature = { startForging: "0", remove: undefined, same: "1", later: "1" }[interfere]
        assert.strictEqual(found?.signature[0], signature)
        assert.strictEqual((yield* store.counts).pend, expected === "stored" ? 1 : 0)
      }).pipe(Effect.provide(nodeLayer({}, verified))))
  }
})
