import { assert, describe, it } from "@effect/vitest"
import { type MemoryLedger, openMemoryLedger } from "../../adapters/memory/mod.ts"
import { type ListName, listNames } from "../../core/contract/mod.ts"
import type { LedgerView } from "../../core/ports/mod.ts"
import {
  addressOf,
  applyBlock,
  asForged,
  bidders,
  genesis,
  newAccount,
  newBatch,
  newExit,
  newQueued,
  newToken,
  newTransaction,
  randomBlock,
  rollBackTo
} from "./_chain.ts"
import { allItems, itemIdOf } from "./_naive.ts"
import { Random } from "./_random.ts"
import { setPrices, viewOf } from "./_view_of.ts"

/** Returns everything that can be read, except the version. */
const dump = (ledger: MemoryLedger) => {
  const view = viewOf(ledger)
  const queues = Array.from({ length: 40 }, (_, queue) => [...view.queue(queue)])
  return {
    lists: Object.fromEntries(listNames.map((name) => [name, allItems(ledger, name)])),
    state: ledger.state().state,
    snapshotId: { ...ledger.snapshotId(), version: 0 },
    queues,
    queued: queues.flat().map(({ id }) => ledger.find("transaction", id).item),
    variables: ledger.capture().lists.variables,
    view: pointReads(view)
  }
}

const pointReads = (view: LedgerView) => ({
  lastBlock: view.lastBlock,
  lastBatchNum: view.lastBatchNum,
  lastAccountIndex: view.lastAccountIndex,
  lastTokenId: view.lastTokenId,
  lastForgedQueue: view.lastForgedQueue,
  lastOpenQueue: view.lastOpenQueue,
  registrations: bidders.map(view.registration),
  bestBids: Array.from({ length: 50 }, (_, slot) => view.bestBid(slot)),
  requested: [0, 1, 2, 3].flatMap((owner) =>
    [0, 1, 2].map((token) => view.requestedExits(addressOf(owner), token))
  ),
  blocks: Array.from({ length: 60 }, (_, number) => view.block(BigInt(90 + number)))
})

const lastIds = (ledger: MemoryLedger) =>
  listNames.filter((name) => name !== "slots").map((name) => lastId(ledger, name))
const lastId = <N extends ListName>(ledger: MemoryLedger, name: N) =>
  allItems(ledger, name).reduce((most, item) => Math.max(most, itemIdOf(name, item)), 0)

describe("rollback of the memory store", () => {
  for (const seed of [21, 22, 23]) {
    it(`restores the state after every earlier block, down to the genesis block (seed ${seed})`, () => {
      const random = new Random(seed)
      const ledger = openMemoryLedger({ genesis })
      const dumps = [dump(ledger)]
      let version = 0
      for (let step = 0; step < 12; step++) {
        for (let i = 0; i < 4; i++) {
          applyBlock(ledger, (view) => randomBlock(view, random, 40))
          dumps.push(dump(ledger))
        }
        const depth = random.below(step === 11 ? 1 : 5)
        const to = dumps.length - 1 - depth
        rollBackTo(ledger, BigInt(100 + to))
        dumps.length = to + 1
        assert.deepStrictEqual(dump(ledger), dumps[to])
        assert.isAbove(ledger.snapshotId().version, version)
        version = ledger.snapshotId().version
      }
      for (let to = dumps.length - 1; to >= 0; to -= 5) {
        rollBackTo(ledger, BigInt(100 + to))
        assert.deepStrictEqual(dump(ledger), dumps[to])
      }
      rollBackTo(ledger, 100n)
      assert.deepStrictEqual(dump(ledger), dumps[0])
    })
  }

  it("never reuses an item id", () => {
    const random = new Random(31)
    const ledger = openMemoryLedger({ genesis })
    for (let i = 0; i < 30; i++) applyBlock(ledger, (view) => randomBlock(view, random, 20))
    const before = lastIds(ledger)
    rollBackTo(ledger, 100n)
    for (let i = 0; i < 30; i++) applyBlock(ledger, (view) => randomBlock(view, random, 20))
    for (const name of listNames.filter((each) => each !== "slots" && each !== "tokens")) {
      const most = before[listNames.filter((each) => each !== "slots").indexOf(name)]!
      assert.isTrue(allItems(ledger, name).every((item) => itemIdOf(name, item) > most), name)
    }
  })

  it("reports the removed blocks and batches, and removes nothing if no block is above", () => {
    const ledger = openMemoryLedger({ genesis })
    const batch = (view: LedgerView, batchNum: number) => ({
      batch: newBatch(view, batchNum),
      accounts: [],
      accountUpdates: [],
      forged: [],
      transactions: [],
      exits: []
    })
    applyBlock(ledger, (view) => ({ batches: [batch(view, 1)] }))
    assert.deepStrictEqual(ledger.snapshotId(), { ethereumBlockNum: 101n, batchNum: 1, version: 2 })
    const lastBlock101 = ledger.view.lastBlock
    applyBlock(ledger, (view) => ({ batches: [batch(view, 2), batch(view, 3)] }))
    assert.deepStrictEqual(ledger.snapshotId(), { ethereumBlockNum: 102n, batchNum: 3, version: 5 })
    assert.deepStrictEqual(rollBackTo(ledger, 101n), {
      toBlock: 101n,
      lastBlock: lastBlock101,
      blocks: 1,
      batches: 2,
      lastBatchNum: 1,
      snapshotId: { ethereumBlockNum: 101n, batchNum: 1, version: 6 }
    })
    assert.deepStrictEqual(rollBackTo(ledger, 500n), {
      toBlock: 500n,
      lastBlock: lastBlock101,
      blocks: 0,
      batches: 0,
      lastBatchNum: 1,
      snapshotId: { ethereumBlockNum: 101n, batchNum: 1, version: 7 }
    })
    assert.deepStrictEqual(rollBackTo(ledger, 100n).snapshotId, {
      ethereumBlockNum: 100n,
      batchNum: null,
      version: 8
    })
  })

  it("returns forged transactions to their queue under their earlier item id", () => {
    const ledger = openMemoryLedger({ genesis })
    const queued = [newQueued(1, 0), newQueued(1, 1)]
    const item = (n: number) => ledger.find("transaction", queued[n]!.id).item!.transaction
    applyBlock(ledger, () => ({ queued }))
    assert.deepStrictEqual([item(0).itemId, item(1).itemId, item(0).batchNum], [1, 2, null])
    assert.deepStrictEqual(allItems(ledger, "transactions"), [])
    const forge = () =>
      applyBlock(ledger, (view) => {
        const account = newAccount(256, 1)
        return {
          batches: [{
            batch: newBatch(view, 1, 1),
            accounts: [account],
            accountUpdates: [],
            forged: queued.map((each) => asForged(each, 256)),
            transactions: [newTransaction(account, null, 1, 2)],
            exits: []
          }]
        }
      })
    forge()
    assert.deepStrictEqual(
      allItems(ledger, "transactions").map((
        { transaction }
      ) => [transaction.itemId, transaction.position]),
      [[3, 0], [4, 1], [5, 2]]
    )
    assert.deepStrictEqual(
      [item(0).batchNum, item(0).fromAccountIndex, item(0).l1?.amountSuccess],
      [1, 256, true]
    )
    assert.strictEqual(viewOf(ledger).lastForgedQueue, 1)
    assert.isNull(viewOf(ledger).lastOpenQueue)
    rollBackTo(ledger, 101n)
    assert.deepStrictEqual([
      item(0).itemId,
      item(1).itemId,
      item(0).batchNum,
      item(0).fromAccountIndex
    ], [1, 2, null, null])
    assert.deepStrictEqual([viewOf(ledger).lastForgedQueue, viewOf(ledger).lastOpenQueue], [
      null,
      1
    ])
    forge()
    assert.deepStrictEqual(
      allItems(ledger, "transactions").map(({ transaction }) => transaction.itemId),
      [6, 7, 8]
    )
    rollBackTo(ledger, 100n)
    assert.isNull(ledger.find("transaction", queued[0]!.id).item)
  })

  it("undoes a withdrawal with its block, and does not change exits that were returned before", () => {
    const ledger = openMemoryLedger({ genesis })
    const account = newAccount(256, 1)
    const exit = () => ledger.find("exit", { batchNum: 1, accountIndex: 256 }).item!.exit
    applyBlock(ledger, (view) => ({
      batches: [{
        batch: newBatch(view, 1),
        accounts: [account],
        accountUpdates: [],
        forged: [],
        transactions: [],
        exits: [newExit(account, 1)]
      }]
    }))
    const shown = exit()
    applyBlock(
      ledger,
      () => ({ withdrawals: [{ batchNum: 1, accountIndex: 256, field: "delayedWithdrawRequest" }] })
    )
    assert.strictEqual(exit().delayedWithdrawRequest, 102n)
    assert.lengthOf(viewOf(ledger).requestedExits(account.address, 0), 1)
    applyBlock(
      ledger,
      () => ({ withdrawals: [{ batchNum: 1, accountIndex: 256, field: "delayedWithdrawn" }] })
    )
    assert.lengthOf(viewOf(ledger).requestedExits(account.address, 0), 0)
    rollBackTo(ledger, 102n)
    assert.deepStrictEqual([
      exit().delayedWithdrawn,
      viewOf(ledger).requestedExits(account.address, 0).length
    ], [null, 1])
    rollBackTo(ledger, 101n)
    assert.deepStrictEqual([exit(), shown.delayedWithdrawRequest], [shown, null])
  })

  it("drops the prices that were set after a block, and restores those before it", () => {
    const ledger = openMemoryLedger({ genesis })
    const price = () => ledger.find("token", 1).item?.priceUSD
    applyBlock(
      ledger,
      () => ({ tokens: [newToken(1)], prices: [{ tokenId: 1, priceUSD: 1, timeMs: 1 }] })
    )
    setPrice(ledger, 2)
    applyBlock(ledger, () => ({ prices: [{ tokenId: 1, priceUSD: 3, timeMs: 3 }] }))
    setPrice(ledger, 4)
    assert.strictEqual(price(), 4)
    rollBackTo(ledger, 101n)
    assert.strictEqual(price(), 2)
    rollBackTo(ledger, 100n)
    assert.isUndefined(price())
  })
})

const setPrice = (ledger: MemoryLedger, priceUSD: number) =>
  setPrices(ledger, [{ tokenId: 1, priceUSD, timeMs: 1 }])
