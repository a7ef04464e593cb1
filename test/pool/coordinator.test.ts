import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { feeUnits, type PostedTransaction } from "../../core/domain/mod.ts"
import { INTERNAL_ADDRESS } from "../../core/encoding/mod.ts"
import { LedgerReader, PoolStore } from "../../core/ports/mod.ts"
import { forgingMaxMsDefault, Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"
import { requestOf } from "./_groups.ts"
import {
  bareLedger,
  batchOf,
  batchOfSelection,
  nodeLayer,
  openChain,
  ownerOf,
  postedOf,
  transfer,
  wrongEthSignature
} from "./_node.ts"

const stranger = ownerOf(8)

const submit = (...all: ReadonlyArray<PostedTransaction>) =>
  Effect.gen(function*() {
    const submission = yield* Submission
    return yield* Effect.forEach(all, (posted) =>
      Effect.map(submission.submitTransaction(posted), ({ id }) => id))
  })

const stateOf = (id: string) =>
  Effect.gen(function*() {
    const found = yield* (yield* Pool).transaction(id)
    return found === null ? null : [found.state, found.batchNum]
  })

const stepsOf = (id: string) =>
  Effect.gen(function*() {
    return (yield* (yield* Pool).transitions(id)).map((
      { batchNum, reason, to }
    ) => [to, batchNum, reason])
  })

describe("the pool for a coordinator", () => {
  it.effect("a transaction passes through its states, returns after a rollback and passes through them again, and every transition is recorded", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, ledger] = [yield* Pool, yield* Ledger]
      const [id] = yield* submit(postedOf())
      const selection = yield* pool.select({ maxTransactions: 9 })
      assert.deepStrictEqual(yield* pool.startForging([id!], 3), [id!])
      assert.deepStrictEqual(yield* pool.startForging([id!], 3), [])
      assert.deepStrictEqual(yield* pool.doneForging([id!], 4), [])
      assert.deepStrictEqual(yield* pool.doneForging([id!], 3), [id!])
      const block = chain.grow({ batches: [batchOfSelection(selection)] })
      yield* ledger.applyBlock(block)
      assert.deepStrictEqual(yield* stateOf(id!), ["fged", 3])
      yield* ledger.rollBack(block.number - 1n)
      assert.deepStrictEqual(yield* stateOf(id!), ["pend", null])
      yield* ledger.applyBlock(block)
      assert.deepStrictEqual(yield* stateOf(id!), ["fged", 3])
      assert.deepStrictEqual(yield* stepsOf(id!), [
        ["pend", null, "Posted"],
        ["fing", 3, "Selected for batch 3"],
        ["fged", 3, "Batch 3 was sent"],
        ["pend", null, "Batches after 2 were rolled back"],
        ["fged", 3, "Forged in batch 3"]
      ])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("nothing starts or ends for a batch that the ledger has", () =>
    Effect.gen(function*() {
      yield* openChain
      const pool = yield* Pool
      const ids = yield* submit(postedOf())
      assert.deepStrictEqual([yield* pool.startForging(ids, 2), yield* pool.doneForging(ids, 2)], [
        [],
        []
      ])
      assert.deepStrictEqual(yield* pool.startForging(ids, 3), ids)
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("transactions that a batch left out or that wait for too long become pending again", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, ledger] = [yield* Pool, yield* Ledger]
      const [left, late] = yield* submit(
        postedOf(),
        postedOf({ fromAccountIndex: 257, toAccountIndex: 256 })
      )
      yield* pool.startForging([left!], 3)
      yield* pool.startForging([late!], 9)
      yield* pool.doneForging([late!], 9)
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(3, {})] }))
      assert.deepStrictEqual([yield* stateOf(left!), yield* stateOf(late!)], [["pend", null], [
        "fged",
        9
      ]])
      yield* TestClock.adjust(forgingMaxMsDefault + 1)
      assert.deepStrictEqual(yield* pool.reconcile, [late!])
      assert.deepStrictEqual(yield* stateOf(late!), ["pend", null])
      assert.deepStrictEqual(yield* pool.reconcile, [])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("a pool that opens over a ledger with a history looks up its transactions there", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, reader, store] = [yield* Pool, yield* LedgerReader, yield* PoolStore]
      const posted = postedOf()
      const [rival, free] = yield* submit(postedOf({ amount: 5n }), postedOf({ nonce: 1n }))
      yield* submit(posted)
      // as if only the pool was restored, without its mark of the ledger
      const [mark] = yield* store.reconciledBatchesBelow({ batchNum: 100, limit: 1 })
      yield* store.reconcile({ from: mark!, to: null, changes: [] }, 0)
      const bare = yield* bareLedger
      yield* bare.applyBlock(
        chain.grow({
          batches: [
            batchOf(3, {
              l2: [transfer]
            })
          ]
        })
      )
      assert.strictEqual((yield* reader.snapshotId).batchNum, 3)
      yield* pool.reconcile
      assert.deepStrictEqual([
        yield* stateOf(posted.id),
        yield* stateOf(rival!),
        yield* stateOf(free!)
      ], [["fged", 3], ["invl", 3], ["pend", null]])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("linked transactions are selected together or not at all", () =>
    Effect.gen(function*() {
      yield* openChain
      const pool = yield* Pool
      const requested = postedOf({ fromAccountIndex: 257, toAccountIndex: 256, fee: 0 })
      const linked = postedOf({ request: requestOf(requested) })
      yield* submit(linked)
      assert.deepStrictEqual((yield* pool.select({ maxTransactions: 9 })).transactions, [])
      assert.strictEqual((yield* pool.skippedTransaction(linked.id))?.code, 18)
      // another destination than the signed one
      yield* submit({ ...requested, toAccountIndex: 258 })
      assert.deepStrictEqual(
        (yield* pool.select({ maxTransactions: 9 })).transactions.map(({ transaction }) =>
          transaction.id
        ),
        [requested.id]
      )
      yield* pool.remove([requested.id], "Test")
      yield* submit(requested)
      assert.deepStrictEqual(
        (yield* pool.select({ maxTransactions: 1 })).transactions.map(({ transaction }) =>
          transaction.id
        ),
        [requested.id]
      )
      assert.deepStrictEqual(
        (yield* pool.select({ maxTransactions: 2 })).transactions.map(({ transaction }) =>
          transaction.id
        ),
        [linked.id, requested.id]
      )
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("transactions that require each other are selected together, of one sender or of two", () =>
    Effect.gen(function*() {
      yield* openChain
      const pool = yield* Pool
      const [a, b] = [
        postedOf({ amount: 50n }),
        postedOf({ fromAccountIndex: 257, toAccountIndex: 256, amount: 60n })
      ]
      const next = postedOf({ fromAccountIndex: 258, toAccountIndex: 256, nonce: 1n })
      const first = postedOf({
        fromAccountIndex: 258,
        toAccountIndex: 256,
        request: requestOf(next)
      })
      yield* submit({ ...a, request: requestOf(b) }, { ...b, request: requestOf(a) }, next, first)
      const { transactions } = yield* pool.select({ maxTransactions: 9 })
      assert.deepStrictEqual(transactions.map(({ transaction }) => transaction.id), [
        first.id,
        next.id,
        b.id,
        a.id
      ])
      // the fee of a required transaction counts too
      const ether = (yield* (yield* LedgerReader).find("token", 0)).item!
      for (const { feeUSD, transaction } of transactions) {
        assert.approximately(
          feeUSD,
          Number(feeUnits(transaction)) * ether.priceUSD! / 10 ** ether.decimals,
          1e-18
        )
      }
      assert.isTrue(transactions.every(({ feeUSD }) => feeUSD > 0))
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("accounts are created from authorizations and for keys alone, as far as there is space, with reasons for the others", () =>
    Effect.gen(function*() {
      yield* openChain
      const [pool, submission] = [yield* Pool, yield* Submission]
      const toAddress = postedOf({
        type: "TransferToEthAddr",
        toAccountIndex: null,
        toAddress: stranger.address
      })
      const toKey = postedOf({
        fromAccountIndex: 257,
        type: "TransferToBJJ",
        toAccountIndex: null,
        toAddress: INTERNAL_ADDRESS,
        toPublicKey: stranger.publicKey
      })
      const again = postedOf({
        fromAccountIndex: 258,
        type: "TransferToBJJ",
        toAccountIndex: null,
        toAddress: INTERNAL_ADDRESS,
        toPublicKey: stranger.publicKey,
        fee: 100
      })
      yield* submit(toAddress, toKey, again)
      assert.deepStrictEqual((yield* pool.select({ maxTransactions: 9 })).accounts.length, 1)
      assert.deepInclude(yield* pool.skippedTransaction(toAddress.id), { code: 14, batchNum: 3 })
      yield* submission.submitAuthorization(stranger)
      const { accounts, transactions } = yield* pool.select({ maxTransactions: 9 })
      assert.deepStrictEqual(accounts, [
        {
          tokenId: 0,
          address: stranger.address,
          publicKey: stranger.publicKey,
          signature: stranger.signature
        },
        { tokenId: 0, address: INTERNAL_ADDRESS, publicKey: stranger.publicKey, signature: null }
      ])
      assert.deepStrictEqual(
        transactions.map(({ receiver }) => receiver),
        [0, 1, 1].map((position) => ({ kind: "created" as const, position }))
      )
      yield* pool.select({ maxTransactions: 9, maxNewAccounts: 1 })
      assert.deepStrictEqual((yield* pool.skippedTransaction(toKey.id))?.code, 13)
      yield* pool.select({ maxTransactions: 1 })
      assert.deepStrictEqual((yield* pool.skippedTransaction(toKey.id))?.code, 17)
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("the L1 part of the same batch counts", () =>
    Effect.gen(function*() {
      yield* openChain
      const [pool, reader] = [yield* Pool, yield* LedgerReader]
      const poor = (yield* reader.find("account", 256)).item!.account
      const posted = postedOf({
        type: "TransferToEthAddr",
        toAccountIndex: null,
        toAddress: stranger.address
      })
      yield* submit(posted)
      const created = { ...poor, ...stranger, index: 262, nonce: 0n, balance: 0n }
      const rich = yield* pool.select({ maxTransactions: 9, accounts: [created] })
      assert.deepStrictEqual(rich.transactions[0]?.receiver, { kind: "account", index: 262 })
      yield* pool.select({ maxTransactions: 9, accounts: [created, { ...poor, balance: 1000n }] })
      assert.strictEqual((yield* pool.skippedTransaction(posted.id))?.code, 11)
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("a transaction is invalid if its account belongs to another owner after a rollback", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, ledger] = [yield* Pool, yield* Ledger]
      const create = (number: number) =>
        chain.grow({
          batches: [
            batchOf(3, {
              l1Coordinator: [{ tokenId: 0, ...ownerOf(number) }],
              l2: [{
                fromAccountIndex: 256,
                toAccountIndex: 262,
                amount: 10_000n,
                fee: 0,
                nonce: 0n
              }]
            })
          ]
        })
      yield* ledger.applyBlock(create(8))
      const [id] = yield* submit(postedOf({ fromAccountIndex: 262 }))
      yield* ledger.rollBack(chain.cut(1).toBlock)
      yield* ledger.applyBlock(create(9))
      assert.deepStrictEqual(yield* stateOf(id!), ["invl", 3])
      assert.deepStrictEqual((yield* pool.select({ maxTransactions: 9 })).transactions, [])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("authorizations are learned from blocks unless the signature is wrong, and a posted one stays", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [store, ledger, submission] = [yield* PoolStore, yield* Ledger, yield* Submission]
      yield* submission.submitAuthorization(ownerOf(9))
      const block = chain.grow({
        batches: [batchOf(3, {
          l1Coordinator: [
            { tokenId: 0, ...stranger },
            { tokenId: 1, ...stranger },
            { tokenId: 0, ...ownerOf(7), signature: wrongEthSignature },
            { tokenId: 0, ...ownerOf(9), publicKey: stranger.publicKey },
            {
              tokenId: 0,
              address: INTERNAL_ADDRESS,
              publicKey: stranger.publicKey,
              signature: null
            }
          ]
        })]
      })
      yield* ledger.applyBlock(block)
      assert.deepStrictEqual(yield* store.authorization(stranger.address), {
        ...stranger,
        timestampMs: 0
      })
      assert.deepStrictEqual(yield* store.authorization(ownerOf(9).address), {
        ...ownerOf(9),
        timestampMs: 0
      })
      assert.isNull(yield* store.authorization(ownerOf(7).address))
      assert.isNull(yield* store.authorization(INTERNAL_ADDRESS))
      assert.isFalse((yield* ledger.applyBlock(block)).applied)
      // a signed authorization stays valid
      yield* ledger.rollBack(block.number - 1n)
      assert.isNotNull(yield* store.authorization(stranger.address))
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("purged and removed transactions leave a reason, and those in progress are not changed", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [pool, ledger] = [yield* Pool, yield* Ledger]
      const [forged, waiting, old, unwanted] = yield* submit(
        postedOf(),
        postedOf({ fromAccountIndex: 257, toAccountIndex: 256 }),
        postedOf({ fromAccountIndex: 258 }),
        postedOf({ fromAccountIndex: 259 })
      )
      yield* ledger.applyBlock(
        chain.grow({
          batches: [
            batchOf(3, {
              l2: [transfer]
            })
          ]
        })
      )
      yield* ledger.applyBlock(chain.grow({ batches: [batchOf(4, {}), batchOf(5, {})] }))
      yield* pool.startForging([waiting!], 6)
      assert.deepStrictEqual(yield* pool.remove([forged!, waiting!, unwanted!], "Test"), [
        unwanted!
      ])
      const bounds = { ttlMs: 1000, currentBatch: 5, safetyPeriodBatches: 2, capacity: 9 }
      assert.deepStrictEqual(yield* pool.purge(bounds), [])
      yield* TestClock.adjust(1001)
      assert.deepStrictEqual(yield* pool.purge({ ...bounds, safetyPeriodBatches: 1 }), [
        forged!,
        old!
      ])
      assert.deepStrictEqual((yield* stepsOf(forged!)).at(-1), [
        null,
        3,
        "Purged: forged since batch 3, 1 batches ago and more"
      ])
      assert.deepStrictEqual((yield* stepsOf(old!)).at(-1), [
        null,
        null,
        "Purged: pending for more than 1000 ms"
      ])
      assert.deepStrictEqual((yield* stepsOf(unwanted!)).at(-1), [null, null, "Removed: Test"])
      assert.deepStrictEqual(yield* stateOf(waiting!), ["fing", 6])
    }).pipe(Effect.provide(nodeLayer())))
})
