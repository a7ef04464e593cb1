import { assert, describe, it, layer as describeLayer } from "@effect/vitest"
import { Effect, Exit, Result } from "effect"
import { layer, openMemoryLedger, poolLayer } from "../../adapters/memory/mod.ts"
import type { BlockFeed, PoolTransaction } from "../../core/domain/mod.ts"
import { type Decision, LedgerReader, LedgerWriter, PoolStore } from "../../core/ports/mod.ts"
import {
  addressOf,
  applyBlock,
  bidders,
  emptyBlock,
  forgers,
  genesis,
  hashOf,
  keyOf,
  newAccount,
  newBatch,
  newBid,
  newQueued,
  newTransaction,
  rollBackTo
} from "./_chain.ts"
import { setPrices, viewOf } from "./_view_of.ts"
import { ownersOf } from "../laws/pool/_pool_rows.ts"

const feed: BlockFeed = { number: 101n, hash: hashOf(101), parentHash: hashOf(100), timestampMs: 1 }
const poolTransaction: PoolTransaction = {
  id: "0x02",
  type: "Exit",
  tokenId: 0,
  fromAccountIndex: 256,
  toAccountIndex: 1,
  toAddress: null,
  toPublicKey: null,
  amount: 1n,
  fee: 0,
  nonce: 0n,
  state: "pend",
  signature: "",
  timestampMs: 0,
  batchNum: null,
  request: null
}

describeLayer(layer(genesis))("the ports of the memory store", (it) => {
  it.effect("the reader returns what the writer stored, with the same snapshot id, and a failed decision changes nothing", () =>
    Effect.gen(function*() {
      const reader = yield* LedgerReader
      const writer = yield* LedgerWriter
      assert.deepStrictEqual(yield* reader.snapshotId, {
        ethereumBlockNum: 100n,
        batchNum: null,
        version: 0
      })
      assert.strictEqual((yield* reader.find("token", 0)).item?.symbol, "ETH")
      const refused = yield* Effect.flip(writer.apply(feed, () => Result.fail("refused" as const)))
      assert.strictEqual(refused, "refused")
      const repeated = yield* writer.apply(
        feed,
        () => Result.succeed<Decision>({ kind: "alreadyStored" })
      )
      assert.deepStrictEqual(repeated, {
        applied: false,
        snapshotId: { ethereumBlockNum: 100n, batchNum: null, version: 0 }
      })
      const { applied, snapshotId } = yield* writer.apply(
        feed,
        (view) => Result.succeed<Decision>({ kind: "store", changes: emptyBlock(view) })
      )
      assert.isTrue(applied)
      assert.deepStrictEqual(yield* reader.snapshotId, snapshotId)
      assert.deepStrictEqual((yield* reader.list("tokens", { filters: {} })).snapshotId, snapshotId)
      assert.strictEqual(
        (yield* Effect.flip(reader.list("tokens", { filters: { ids: [0, 3] } })))._tag,
        "NotRegistered"
      )
    }))

  it.effect("a batch that is not the next one is a defect and changes nothing", () =>
    Effect.gen(function*() {
      const reader = yield* LedgerReader
      const writer = yield* LedgerWriter
      const before = yield* reader.snapshotId
      const exit = yield* Effect.exit(writer.apply(feed, (view) =>
        Result.succeed<Decision>({
          kind: "store",
          changes: {
            ...emptyBlock(view),
            coordinators: [{
              bidderAddr: bidders[0]!,
              forgerAddr: forgers[0]!,
              url: "",
              ethereumBlockNum: 1n
            }],
            batches: [{
              batch: newBatch(view, 2),
              accounts: [],
              accountUpdates: [],
              forged: [],
              transactions: [],
              exits: []
            }]
          }
        })))
      assert.isTrue(Exit.hasDies(exit))
      assert.deepStrictEqual(yield* reader.snapshotId, before)
      assert.isNull((yield* reader.find("coordinator", bidders[0]!)).item)
    }))
})

describeLayer(poolLayer)("the pool in memory", (it) => {
  it.effect("keeps the first transaction of an id, and changes only transactions in the expected state", () =>
    Effect.gen(function*() {
      const pool = yield* PoolStore
      const limits = { pendingMax: 9, pendingPerAccountMax: 9 }
      assert.strictEqual(
        (yield* pool.addTransaction(poolTransaction, ownersOf(1), limits)).kind,
        "added"
      )
      assert.strictEqual(
        (yield* pool.addTransaction({ ...poolTransaction, amount: 2n }, ownersOf(1), limits)).kind,
        "known"
      )
      assert.strictEqual((yield* pool.transaction("0x02"))?.amount, 1n)
      const change = {
        from: "pend",
        fromBatchNum: null,
        to: "fing",
        batchNum: 7,
        reason: "Selected"
      } as const
      assert.deepStrictEqual(
        yield* pool.change([{ ...change, id: "0x02" }, { ...change, id: "0x03" }], 1),
        ["0x02"]
      )
      assert.deepStrictEqual(
        yield* pool.change([{ ...change, id: "0x02", to: "invl", batchNum: 8 }], 2),
        []
      )
      assert.deepStrictEqual(yield* pool.transaction("0x02"), {
        ...poolTransaction,
        state: "fing",
        batchNum: 7
      })
      const authorization = {
        address: addressOf(1),
        publicKey: keyOf(1),
        signature: "",
        timestampMs: 0
      }
      assert.isNull(yield* pool.authorization(addressOf(1)))
      assert.isTrue((yield* pool.addAuthorization(authorization)).added)
      assert.isFalse((yield* pool.addAuthorization({ ...authorization, timestampMs: 1 })).added)
      assert.deepStrictEqual(yield* pool.authorization(addressOf(1)), authorization)
    }))
})

describe("the state of the memory store", () => {
  it("has no averages before the first batch, and the boot coordinator if no bid is high enough", () => {
    const ledger = openMemoryLedger({ genesis, minFeeUSD: 0.5, maxFeeUSD: 3 })
    applyBlock(ledger, () => ({
      coordinators: [{
        bidderAddr: bidders[0]!,
        forgerAddr: forgers[0]!,
        url: "https://c",
        ethereumBlockNum: 1n
      }],
      bids: [newBid(0, bidders[0]!, 9n), newBid(1, bidders[0]!, 10n)]
    }))
    const { state } = ledger.state()
    assert.deepStrictEqual(
      state.nextForgers.map(({ coordinator, period }) => [period.slotNum, coordinator.forgerAddr]),
      [
        [0, addressOf(0xb001)],
        [1, forgers[0]!],
        [2, addressOf(0xb001)]
      ]
    )
    assert.deepStrictEqual(state.nextForgers[1]!.period, {
      slotNum: 1,
      fromBlock: 104n,
      toBlock: 107n,
      fromTimestampMs: genesis.block.timestampMs + 4 * 15_000,
      toTimestampMs: genesis.block.timestampMs + 7 * 15_000
    })
    assert.deepStrictEqual([state.lastEthereumBlock, state.lastSynchedBlock, state.lastBatch], [
      103n,
      101n,
      null
    ])
    assert.deepStrictEqual(Object.values(state.metrics), [0, 0, 0, 0, 0, 0, 0])
    assert.deepStrictEqual(state.recommendedFee, {
      existingAccount: 0.5,
      createAccount: 0.5,
      createAccountInternal: 0.5
    })
  })

  it("has averages over the batches of the last day and the fees of the last hour", () => {
    const ledger = openMemoryLedger({ genesis, maxFeeUSD: 2.4 })
    const hour = 3_600_000
    const accounts = [newAccount(256, 1, 0, 1), newAccount(257, 1, 0, 1), newAccount(258, 1, 0, 2)]
    // an old batch, then one 2 hours and three less than an hour before the last block
    const times = [-30 * hour, -2 * hour, -0.5 * hour, -0.25 * hour, 0]
    times.forEach((at, i) =>
      applyBlock(ledger, (view) => {
        const timestampMs = genesis.block.timestampMs + 40 * hour + at
        const transactions = [0, 1].map((position) =>
          newTransaction(accounts[0]!, accounts[1]!, i + 1, position)
        )
        return {
          block: { number: view.lastBlock.number + 1n, hash: hashOf(i), timestampMs },
          batches: [{
            batch: { ...newBatch(view, i + 1), timestampMs, historicTotalCollectedFeesUSD: 3 },
            accounts: i === 0 ? accounts : [],
            accountUpdates: [],
            forged: [],
            transactions: i === 1
              ? transactions.map((row) => ({ ...row, l2: null }))
              : transactions,
            exits: []
          }]
        }
      })
    )
    const { metrics, recommendedFee } = ledger.state().state
    assert.deepStrictEqual(metrics, {
      transactionsPerBatch: 2,
      batchFrequency: 2400,
      transactionsPerSecond: 8 / 86_400,
      avgTransactionFee: 2,
      estimatedTimeToForgeL1: 0,
      totalAccounts: 3,
      totalPublicKeys: 2
    })
    // 6 L2 transactions in three batches; 2.5 and 2 times the average of 1.5 are above the upper bound
    assert.deepStrictEqual(recommendedFee, {
      existingAccount: 1.5,
      createAccount: 2.4,
      createAccountInternal: 2.4
    })
  })

  it("does not lose a small fee after a huge one", () => {
    const ledger = openMemoryLedger({ genesis })
    const day = 86_400_000
    const account = newAccount(256, 1)
    const fees = [1e30, 0.25, 0.001]
    fees.forEach((feeUSD, i) =>
      applyBlock(ledger, (view) => {
        const timestampMs = genesis.block.timestampMs + (i === 0 ? 0 : 3 * day)
        return {
          block: { number: view.lastBlock.number + 1n, hash: hashOf(i), timestampMs },
          batches: [{
            batch: { ...newBatch(view, i + 1), timestampMs, historicTotalCollectedFeesUSD: feeUSD },
            accounts: i === 0 ? [account] : [],
            accountUpdates: [],
            forged: [],
            transactions: [newTransaction(account, account, i + 1, 0)],
            exits: []
          }]
        }
      })
    )
    const { metrics, recommendedFee } = ledger.state().state
    assert.deepStrictEqual([metrics.avgTransactionFee, recommendedFee.existingAccount], [
      0.251 / 2,
      0.251 / 2
    ])
    rollBackTo(ledger, 101n)
    assert.strictEqual(ledger.state().state.metrics.avgTransactionFee, 1e30)
  })

  it("includes the accounts that were created after a transaction was queued", () => {
    const ledger = openMemoryLedger({ genesis })
    const [sender, receiver] = [newAccount(256, 1, 0, 5), newAccount(257, 1, 0, 6)]
    const row = {
      ...newQueued(3, 0),
      type: "ForceTransfer" as const,
      fromAccountIndex: 256,
      fromAddress: sender.address,
      fromPublicKey: null,
      toAccountIndex: 257
    }
    const shown = () => {
      const { fromPublicKey, toAddress, toPublicKey } =
        ledger.find("transaction", row.id).item!.transaction
      return [fromPublicKey, toAddress, toPublicKey]
    }
    applyBlock(ledger, () => ({ queued: [row] }))
    assert.deepStrictEqual(shown(), [null, null, null])
    applyBlock(ledger, (view) => ({
      batches: [{
        batch: newBatch(view, 1),
        accounts: [sender, receiver],
        accountUpdates: [],
        forged: [],
        transactions: [],
        exits: []
      }]
    }))
    assert.deepStrictEqual(shown(), [sender.publicKey, receiver.address, receiver.publicKey])
    rollBackTo(ledger, 101n)
    assert.deepStrictEqual(shown(), [null, null, null])
  })

  it("has the time of a price, and none for a price that is no longer known", () => {
    const ledger = openMemoryLedger({ genesis })
    setPrices(ledger, [{ tokenId: 0, priceUSD: 7, timeMs: 9 }])
    const shown = ledger.find("token", 0).item!
    assert.deepStrictEqual([shown.itemId, shown.priceUSD, shown.priceTimeMs], [1, 7, 9])
    setPrices(ledger, [{ tokenId: 0, priceUSD: null, timeMs: 10 }])
    assert.deepStrictEqual([
      viewOf(ledger).token(0)?.priceUSD,
      viewOf(ledger).token(0)?.priceTimeMs,
      shown.priceUSD
    ], [null, null, 7])
  })
})
