/* Reads of groups, and the reasons that the list shows. A law of the pool describes its pages. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { poolList, type PoolListQuery, v1, wireContext, writerOf } from "../../core/contract/mod.ts"
import { LedgerReader, PoolStore } from "../../core/ports/mod.ts"
import { Ledger, listPool, Pool, Submission } from "../../core/use_cases/mod.ts"
import { findGroup } from "../../core/use_cases/pool/mod.ts"
import { groupOf } from "./_groups.ts"
import { batchOf, nodeLayer, type NodeOverrides, openChain, postedOf } from "./_node.ts"
import { genesis } from "./_subject.ts"

const list = Effect.fnUntraced(function*(query: PoolListQuery) {
  return yield* listPool({ reader: yield* LedgerReader, pool: yield* PoolStore }, query)
})
describe("a group", () => {
  /** Names of the reads of the pool. */
  const reads: Array<string> = []
  const overrides: NodeOverrides = {
    pool: (store) => ({
      list: (query) => Effect.suspend(() => (reads.push("list"), store.list(query))),
      members: (ids) => Effect.suspend(() => (reads.push("members"), store.members(ids))),
      pooled: (ids) => Effect.suspend(() => (reads.push("pooled"), store.pooled(ids)))
    })
  }

  it.effect("is found in its order with one read of the pool, whatever its number of transactions", () =>
    Effect.gen(function*() {
      yield* openChain
      const group = groupOf(
        Array.from(
          { length: 30 },
          (_, number) => postedOf({ nonce: BigInt(number), fee: 100 + number * 7 % 30 })
        )
      )
      const submission = yield* Submission
      yield* submission.submitTransaction(postedOf({ fromAccountIndex: 257, toAccountIndex: 256 }))
      yield* submission.submitGroup(group)
      yield* (yield* Pool).select({ maxTransactions: 2 })
      reads.length = 0
      const ports = { reader: yield* LedgerReader, pool: yield* PoolStore }
      const { items } = yield* findGroup(ports, group.id)
      assert.deepStrictEqual(reads, ["list"])
      assert.deepStrictEqual(
        items.map(({ transaction }) => transaction.id),
        group.transactions.map(({ id }) => id)
      )
      assert.isTrue(items.every(({ skipped }) => skipped?.code === 17 || skipped?.code === 18))
      assert.deepStrictEqual((yield* findGroup(ports, `0x${"0".repeat(64)}`)).items, [])
    }).pipe(Effect.provide(nodeLayer({}, undefined, overrides))))
})

describe("the list of the pool", () => {
  it.effect("shows no reason any more after a selection that selects it, or a rollback of a batch that the selection saw", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [ledger, pool, submission] = [yield* Ledger, yield* Pool, yield* Submission]
      const [greater, less] = [
        postedOf({ fee: 200 }),
        postedOf({ fromAccountIndex: 258, fee: 126 })
      ]
      for (const posted of [greater, less]) yield* submission.submitTransaction(posted)
      const shown = Effect.map(
        list({ filters: { fromAccountIndex: 258 } }),
        ({ items: [item] }) => {
          const { errorCode, errorType, info } = JSON.parse(
            writerOf(v1.shapes.poolTransaction, wireContext(genesis.network, keccak256))(item!)
          )
          return [errorCode, errorType, info]
        }
      )
      const skipped = (batchNum: number) => [
        17,
        "ErrNoAvailableSlots",
        `BatchNum: ${batchNum}. The batch is full with 1 transactions`
      ]
      yield* pool.select({ maxTransactions: 1 })
      assert.deepStrictEqual(yield* shown, skipped(3))
      yield* pool.select({ maxTransactions: 2 })
      assert.deepStrictEqual(yield* shown, [null, null, null])

      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(3, {})] }))
      yield* pool.select({ maxTransactions: 1 })
      assert.deepStrictEqual(yield* shown, skipped(4))
      yield* ledger.rollBack(chain.cut(1).toBlock)
      assert.deepStrictEqual(yield* shown, [null, null, null])
      yield* pool.select({ maxTransactions: 1 })
      // a rollback of batches that it did not see does not concern it
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(3, {})] }))
      yield* ledger.rollBack(chain.cut(1).toBlock)
      assert.deepStrictEqual(yield* shown, skipped(3))
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("shows the others if a rollback has removed the token of one", () =>
    Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      const ofEther = postedOf({ fromAccountIndex: 257, toAccountIndex: 256 })
      const ofToken = postedOf({ tokenId: 1, fromAccountIndex: 260, toAccountIndex: 261 })
      for (const posted of [ofToken, ofEther]) yield* submission.submitTransaction(posted)
      yield* (yield* Ledger).rollBack(genesis.block.number)
      const { counts, items } = yield* list({ filters: {} })
      assert.deepStrictEqual(items.map(({ transaction }) => transaction.id), [ofEther.id])
      assert.strictEqual(counts.pendingItems, 0)
    }).pipe(Effect.provide(nodeLayer())))

  it("declares that the families exclude each other", () => {
    const excluded = poolList.exclusions.map((pair) => pair.join(" "))
    assert.strictEqual(excluded.length, 2 * 3 + 3 * 9 + 1)
    assert.includeMembers(excluded, [
      "accountIndex fromAccountIndex",
      "address toAddress",
      "fromAccountIndex toPublicKey"
    ])
    assert.notInclude(excluded, "fromAccountIndex toAccountIndex")
  })
})
