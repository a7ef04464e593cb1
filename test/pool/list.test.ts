/* The list of the pool: filters by account, address and key, and paging. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import {
  poolList,
  type PoolListFilters,
  type PoolListQuery,
  v1,
  wireContext,
  writerOf
} from "../../core/contract/mod.ts"
import { INTERNAL_ADDRESS } from "../../core/encoding/mod.ts"
import { LedgerReader, PoolStore } from "../../core/ports/mod.ts"
import { Ledger, listPool, Pool, Submission } from "../../core/use_cases/mod.ts"
import { findGroup } from "../../core/use_cases/pool/mod.ts"
import { groupOf } from "./_groups.ts"
import { batchOf, nodeLayer, type NodeOverrides, openChain, ownerOf, postedOf } from "./_node.ts"
import { genesis } from "./_subject.ts"

const list = Effect.fnUntraced(function*(query: PoolListQuery) {
  return yield* listPool({ reader: yield* LedgerReader, pool: yield* PoolStore }, query)
})
const itemIds = (filters: PoolListFilters) =>
  Effect.map(list({ filters }), ({ items }) => items.map(({ itemId }) => itemId))

const [first, second, , , fifth] = [0, 1, 2, 3, 4].map(ownerOf)

/** Four transactions: to an account, an exit, to an address and to a key. */
const filled = Effect.gen(function*() {
  yield* openChain
  const submission = yield* Submission
  const none = { toAccountIndex: null }
  for (
    const posted of [
      postedOf(),
      postedOf({ nonce: 1n, type: "Exit", toAccountIndex: 1 }),
      postedOf({
        ...none,
        fromAccountIndex: 257,
        type: "TransferToEthAddr",
        toAddress: first!.address
      }),
      postedOf({
        ...none,
        fromAccountIndex: 258,
        type: "TransferToBJJ",
        toAddress: INTERNAL_ADDRESS,
        toPublicKey: second!.publicKey
      })
    ]
  ) yield* submission.submitTransaction(posted)
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
  it.effect("finds transactions by every filter", () =>
    Effect.gen(function*() {
      yield* filled
      const expected: ReadonlyArray<readonly [PoolListFilters, ReadonlyArray<number>]> = [
        [{}, [1, 2, 3, 4]],
        [{ state: "pend" }, [1, 2, 3, 4]],
        [{ state: "invl" }, []],
        [{ onlyUnfinished: true }, [1, 2, 3, 4]],
        [{ onlyUnfinished: true, state: "invl" }, []],
        [{ type: "Exit" }, [2]],
        [{ tokenId: 1 }, []],
        [{ accountIndex: 257 }, [1, 3]],
        [{ fromAccountIndex: 257 }, [3]],
        [{ toAccountIndex: 257 }, [1]],
        [{ fromAccountIndex: 256, toAccountIndex: 1 }, [2]],
        [{ address: first!.address }, [1, 2, 3]],
        [{ fromAddress: first!.address }, [1, 2]],
        [{ toAddress: first!.address }, [3]],
        [{ fromAddress: second!.address, toAddress: first!.address }, [3]],
        [{ publicKey: second!.publicKey }, [1, 3, 4]],
        [{ fromPublicKey: second!.publicKey }, [3]],
        [{ toPublicKey: second!.publicKey }, [1, 4]],
        [{ address: fifth!.address }, []],
        [{ address: first!.address, type: "Transfer" }, [1]],
        [{ address: `0x${"9".repeat(40)}` }, []],
        [{ accountIndex: 99_999 }, []]
      ]
      for (const [filters, ids] of expected) {
        assert.deepStrictEqual(yield* itemIds(filters), ids, JSON.stringify(filters))
      }
      const refused = yield* Effect.flip(list({ filters: { toAddress: INTERNAL_ADDRESS } }))
      assert.strictEqual(refused._tag, "BadInput")
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("pages in both directions with exact counts", () =>
    Effect.gen(function*() {
      yield* filled
      const page = (query: Omit<PoolListQuery, "filters">) =>
        Effect.map(
          list({ filters: {}, ...query }),
          ({ counts, items }) => [items.map(({ itemId }) => itemId), counts.pendingItems]
        )
      assert.deepStrictEqual(yield* page({ limit: 3 }), [[1, 2, 3], 1])
      assert.deepStrictEqual(yield* page({ limit: 3, fromItem: 4 }), [[4], 0])
      assert.deepStrictEqual(yield* page({ limit: 3, fromItem: 0 }), [[1, 2, 3], 1])
      assert.deepStrictEqual(yield* page({ limit: 3, order: "DESC" }), [[4, 3, 2], 1])
      assert.deepStrictEqual(yield* page({ limit: 2, order: "DESC", fromItem: 2 }), [[2, 1], 0])
      assert.deepStrictEqual(yield* page({ fromItem: 5 }), [[], 0])
      assert.deepStrictEqual((yield* list({ filters: {}, fromItem: 5 })).counts, {
        pendingItems: 0,
        totalItems: 4,
        firstItem: 1,
        lastItem: 4
      })
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("has only pending and forging transactions if asked for unfinished ones, with counts of them", () =>
    Effect.gen(function*() {
      yield* filled
      const [pool, store] = [yield* Pool, yield* PoolStore]
      const items = (yield* store.list(
        { filters: {}, fromArrival: null, order: "ASC", limit: 4 }
      )).items
      const ids = items.map(({ pooled: { transaction } }) => transaction.id)
      yield* pool.startForging([ids[1]!, ids[2]!], 3)
      yield* pool.doneForging([ids[2]!], 3)
      yield* pool.invalidate([{ id: ids[3]!, reason: "The host said so" }], 3)
      for (
        const [filters, expected] of [
          [{}, [1, 2, 3, 4]],
          [{ onlyUnfinished: true }, [1, 2]],
          [{ onlyUnfinished: false }, [1, 2, 3, 4]],
          [{ onlyUnfinished: true, accountIndex: 257 }, [1]],
          [{ state: "fged" }, [3]],
          [{ state: "invl" }, [4]]
        ] as ReadonlyArray<readonly [PoolListFilters, ReadonlyArray<number>]>
      ) assert.deepStrictEqual(yield* itemIds(filters), expected, JSON.stringify(filters))
      const { counts } = yield* list({ filters: { onlyUnfinished: true }, limit: 1 })
      assert.deepStrictEqual(counts, {
        pendingItems: 1,
        totalItems: 2,
        firstItem: 1,
        lastItem: 2
      })
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("shows the owner of the sender, the token and why a selection skipped it", () =>
    Effect.gen(function*() {
      yield* filled
      yield* (yield* Pool).select({ maxTransactions: 1 })
      const { items } = yield* list({ filters: { type: "Exit" } })
      const { address, publicKey } = first!
      assert.deepStrictEqual(
        items.map(({ sender, skipped, token }) => [
          sender,
          token.symbol,
          skipped?.code
        ]),
        [[{ address, publicKey }, "ETH", 17]]
      )
    }).pipe(Effect.provide(nodeLayer())))

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
