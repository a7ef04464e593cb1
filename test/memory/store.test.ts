import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Result } from "effect"
import { layer, openMemoryLedger } from "../../adapters/memory/mod.ts"
import type { FiltersOf } from "../../core/contract/mod.ts"
import type { Account, BatchChanges, BlockFeed, New, Transaction } from "../../core/domain/mod.ts"
import {
  type Decision,
  LedgerReader,
  type PriorLedger,
  LedgerWriter
} from "../../core/ports/mod.ts"
import { genesis } from "../use_cases/_network.ts"
import {
  addressOf,
  applyBlock,
  emptyBlock,
  hashOf,
  keyOf,
  newAccount,
  newBatch,
  newTransaction,
  rollBackTo
} from "./_chain.ts"

const feed: BlockFeed = { number: 101n, hash: hashOf(101), parentHash: hashOf(100), timestampMs: 1 }

describe("the writer of the memory store", () => {
  it.effect("changes nothing if the decision fails, finds the block stored or skips a batch", () =>
    Effect.scoped(Effect.gen(function*() {
      const services = yield* Layer.build(Layer.fresh(layer(genesis)))
      const [reader, writer] = [
        Context.get(services, LedgerReader),
        Context.get(services, LedgerWriter)
      ]
      const before = yield* reader.snapshotId
      assert.deepStrictEqual(before, { ethereumBlockNum: 100n, batchNum: null, version: 0 })
      const refused = yield* Effect.flip(writer.apply(feed, () => Result.fail("refused" as const)))
      assert.strictEqual(refused, "refused")
      assert.deepStrictEqual(
        yield* writer.apply(feed, () => Result.succeed<Decision>({ kind: "alreadyStored" })),
        { applied: false, snapshotId: before }
      )
      const registration = { bidderAddr: addressOf(1), forgerAddr: addressOf(2), url: "" }
      const exit = yield* Effect.exit(writer.apply(feed, (prior) =>
        Result.succeed<Decision>({
          kind: "store",
          changes: {
            ...emptyBlock(prior),
            coordinators: [{ ...registration, ethereumBlockNum: 1n }],
            batches: [newBatch(prior, 2)]
          }
        })))
      assert.isTrue(Exit.hasDies(exit))
      assert.deepStrictEqual(yield* reader.snapshotId, before)
      assert.isNull((yield* reader.find("coordinator", addressOf(1))).item)
    })))
})

describe("the memory store", () => {
  it("recommends the fees of its options before the first batch", () => {
    const { state } = openMemoryLedger({ genesis, minFeeUSD: 0.5, maxFeeUSD: 0.75 }).state()
    assert.deepStrictEqual(Object.values(state.recommendedFee), [0.5, 0.5, 0.5])
  })

  it("returns forged transactions to their queue under their earlier item id", () => {
    const ledger = openMemoryLedger({ genesis })
    const queued = [0, 1].map((position) => queuedOf(position))
    const items = () =>
      queued.map(({ id }) => {
        const { batchNum, fromAccountIndex, itemId } = ledger.find("transaction", id).item!
          .transaction
        return [itemId, batchNum, fromAccountIndex]
      })
    const queues = () => [ledger.base.lastForgedQueue, ledger.base.lastOpenQueue]
    const forge = () => applyBlock(ledger, (prior) => ({ batches: [batchOf(prior, { queued })] }))
    applyBlock(ledger, () => ({ queued }))
    assert.deepStrictEqual(items(), [[1, null, null], [2, null, null]])
    forge()
    assert.deepStrictEqual([items(), queues()], [[[3, 1, 256], [4, 1, 256]], [1, null]])
    rollBackTo(ledger, 101n)
    assert.deepStrictEqual([items(), queues()], [[[1, null, null], [2, null, null]], [null, 1]])
    forge()
    assert.deepStrictEqual(items(), [[5, 1, 256], [6, 1, 256]])
    rollBackTo(ledger, 100n)
    assert.isNull(ledger.find("transaction", queued[0]!.id).item)
  })

  it("lists queued transactions among the forged ones on request, with the addresses of later accounts", () => {
    const ledger = openMemoryLedger({ genesis })
    const sender = { fromAccountIndex: 256, fromPublicKey: null }
    const queued = [{ ...queuedOf(0), ...sender, toAccountIndex: 257 }]
    const [first, second] = [newAccount(256, 1), newAccount(257, 2)]
    const transfer = () => [newTransaction(first, first, "Transfer")]
    applyBlock(ledger, (prior) => ({
      queued,
      batches: [batchOf(prior, { created: first, transactions: transfer() })]
    }))
    const toSecond = { includePending: true, toAddress: second.address }
    const listed = (filters: FiltersOf<"transactions">, page: object = {}) => {
      const { counts, items } = Result.getOrThrow(ledger.list("transactions", { filters, ...page }))
      return [items.map(({ transaction }) => transaction.itemId), ...Object.values(counts)]
    }
    assert.deepStrictEqual(listed(toSecond), [[], 0, 0, null, null])
    applyBlock(ledger, (prior) => ({
      batches: [batchOf(prior, { created: second, transactions: transfer() })]
    }))
    const includePending = true
    assert.deepStrictEqual(listed({}), [[2, 3], 0, 2, 2, 3])
    assert.deepStrictEqual(listed({ includePending: false }), [[2, 3], 0, 2, 2, 3])
    assert.deepStrictEqual(listed({ includePending }), [[1, 2, 3], 0, 3, 1, 3])
    const descending = { order: "DESC", limit: 2 }
    assert.deepStrictEqual(listed({ includePending }, descending), [[3, 2], 1, 3, 1, 3])
    const fromSecond = { fromItem: 2, limit: 1 }
    assert.deepStrictEqual(listed({ includePending }, fromSecond), [[2], 1, 3, 1, 3])
    assert.deepStrictEqual(listed(toSecond), [[1], 0, 1, 1, 1])
    const { fromPublicKey, toAddress, toPublicKey } = ledger.find("transaction", queued[0]!.id)
      .item!.transaction
    assert.deepStrictEqual([fromPublicKey, toAddress, toPublicKey], [
      first.publicKey,
      second.address,
      second.publicKey
    ])
    assert.deepStrictEqual(listed({ includePending, batchNum: 1 }), [[2], 0, 1, 2, 2])
    applyBlock(ledger, (prior) => ({ batches: [batchOf(prior, { queued })] }))
    assert.deepStrictEqual(listed({ includePending }), [[2, 3, 4], 0, 3, 2, 4])
    rollBackTo(ledger, 102n)
    assert.deepStrictEqual(listed({ includePending }), [[1, 2, 3], 0, 3, 1, 3])
  })
})

/** Returns the next batch, which forges a queue, creates an account or forges L2 transactions. */
const batchOf = (
  prior: PriorLedger,
  { created, queued = [], transactions = [] }: {
    readonly created?: New<Account>
    readonly queued?: ReadonlyArray<New<Transaction>>
    readonly transactions?: ReadonlyArray<New<Transaction>>
  }
): BatchChanges => {
  const { batch, ...empty } = newBatch(prior, prior.lastBatchNum + 1)
  const accounts = created === undefined ? [] : [created]
  return {
    ...empty,
    batch: {
      ...batch,
      forgeL1TransactionsNum: queued.length > 0 ? 1 : null,
      forgedTransactions: queued.length + transactions.length
    },
    accounts,
    transactions: [
      ...queued.map((row) => ({
        ...row,
        fromAccountIndex: 256,
        historicUSD: 0.5,
        l1: { ...row.l1!, amountSuccess: true, depositAmountSuccess: true }
      })),
      ...transactions
    ].map((row) => ({ ...row, batchNum: batch.batchNum }))
  }
}

const queuedOf = (position: number): New<Transaction> => ({
  id: hashOf(position),
  type: "CreateAccountDeposit",
  position,
  fromAccountIndex: null,
  fromAddress: addressOf(7),
  fromPublicKey: keyOf(7),
  toAccountIndex: 0,
  toAddress: null,
  toPublicKey: null,
  tokenId: 0,
  amount: 0n,
  batchNum: null,
  historicUSD: null,
  timestampMs: 1,
  l1: {
    toForgeL1TransactionsNum: 1,
    userOrigin: true,
    depositAmount: 5n,
    amountSuccess: false,
    depositAmountSuccess: false,
    historicDepositAmountUSD: null,
    ethereumBlockNum: 1n,
    ethereumTxHash: null,
    l1Fee: null
  },
  l2: null
})
