import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { isDeepStrictEqual } from "node:util"
import { type MemoryLedger, openMemoryLedger } from "../../adapters/memory/mod.ts"
import {
  type FiltersOf,
  type ListItems,
  type ListName,
  listNames,
  type ListQuery,
  lists
} from "../../core/contract/mod.ts"
import { slotNumMax } from "../../core/domain/mod.ts"
import type { LedgerView } from "../../core/ports/mod.ts"
import {
  addressOf,
  applyBlock,
  asForged,
  bidders,
  forgers,
  genesis,
  newAccount,
  newBatch,
  newBid,
  newQueued,
  newTransaction,
  randomBlock,
  rollBackTo
} from "./_chain.ts"
import { allItems, naivePage } from "./_naive.ts"
import { randomQuery } from "./_query.ts"
import { Random } from "./_random.ts"
import { viewOf } from "./_view_of.ts"

/** Returns the items of a list and those that a filter can add. */
const selectableItems = <N extends ListName>(ledger: MemoryLedger, name: N) => {
  const { lastOpenQueue, queue } = viewOf(ledger)
  const selectable: Partial<{ [M in ListName]: () => ReadonlyArray<ListItems[M]> }> = {
    // slots beyond the last open one
    slots: () =>
      Result.getOrThrow(ledger.list("slots", { filters: { maxSlotNum: 60 }, limit: 100 })).items,
    transactions: () =>
      [
        ...allItems(ledger, "transactions"),
        ...Array.from({ length: (lastOpenQueue ?? 0) + 1 }, (_, number) => queue(number)).flat()
          .map(({ id }) => ledger.find("transaction", id).item!)
      ].sort((one, other) => one.transaction.itemId - other.transaction.itemId)
  }
  return selectable[name]?.() ?? allItems(ledger, name)
}

/** Compares random queries with scans. Adds the names of filters that found items to `found`. */
const checkQueries = (
  ledger: MemoryLedger,
  random: Random,
  queries: number,
  found = new Set<string>()
) => {
  const view = viewOf(ledger)
  const checkList = <N extends ListName>(name: N) => {
    const all = selectableItems(ledger, name)
    for (let i = 0; i < queries; i++) {
      const query = randomQuery(name, random, view)
      const defaults = name === "slots"
        ? { maxSlotNum: 60 }
        : name === "transactions"
        ? { includePending: false }
        : {}
      const bounded = { ...query, filters: { ...defaults, ...query.filters } }
      const { items, counts } = Result.getOrThrow(ledger.list(name, bounded))
      const names = Object.keys(query.filters)
      if (items.length > 0) { for (const filter of names) found.add(filter) }
      for (const sender of names.filter((filter) => filter.startsWith("from"))) {
        const receiver = sender.replace("from", "to")
        if (items.length > 0 && names.includes(receiver)) found.add(`${sender} and ${receiver}`)
      }
      const [actual, expected] = [{ items, counts }, naivePage(name, all, ledger, bounded)]
      // the assertion shows the difference, but is slower
      if (!isDeepStrictEqual(actual, expected)) {
        assert.deepStrictEqual(actual, expected, `${name} ${JSON.stringify(bounded)}`)
      }
    }
  }
  for (const name of listNames) checkList(name)
}

describe("lists of the memory store", () => {
  for (const seed of [1, 2, 3]) {
    it(`a query returns the same page and counts as a scan of all items (seed ${seed})`, () => {
      const random = new Random(seed)
      const ledger = openMemoryLedger({ genesis })
      const found = new Set<string>()
      for (let round = 0; round < 6; round++) {
        for (let i = 0; i < 40; i++) applyBlock(ledger, (view) => randomBlock(view, random, 60))
        checkQueries(ledger, random, 60, found)
        rollBackTo(ledger, ledger.snapshotId().ethereumBlockNum - BigInt(random.below(30)))
        if (viewOf(ledger).lastBatchNum > 0) checkQueries(ledger, random, 60)
      }
      const pairs = [
        "fromAccountIndex and toAccountIndex",
        "fromAddress and toAddress",
        "fromPublicKey and toPublicKey"
      ]
      for (const filter of [...Object.keys(lists.transactions.filters), ...pairs]) {
        assert.isTrue(found.has(filter), filter)
      }
    })
  }

  it("a query that names unregistered things fails with every unknown value of every filter", () => {
    const ledger = openMemoryLedger({ genesis })
    applyBlock(ledger, (view) => ({
      batches: [{
        batch: newBatch(view, 1),
        accounts: [newAccount(256, 1)],
        accountUpdates: [],
        forged: [],
        transactions: [],
        exits: []
      }]
    }))
    const failure = <N extends ListName>(
      name: N,
      filters: Parameters<typeof ledger.list<N>>[1]["filters"]
    ) =>
      Result.match(ledger.list(name, { filters }), {
        onFailure: ({ things }) => things.map(({ filter, kind, value }) => [filter, kind, value]),
        onSuccess: () => null
      })
    assert.deepStrictEqual(failure("accounts", { tokenIds: [0, 9, 8] }), [
      ["tokenIds", "token", 9],
      ["tokenIds", "token", 8]
    ])
    for (const index of [0, 1, 255, 257]) {
      assert.deepStrictEqual(failure("transactions", { accountIndex: index }), [[
        "accountIndex",
        "account",
        index
      ]])
    }
    for (const batchNum of [0, 2]) {
      assert.deepStrictEqual(failure("exits", { batchNum }), [["batchNum", "batch", batchNum]])
    }
    const both = Result.getOrThrow(
      Result.flip(ledger.list("exits", { filters: { tokenId: 4, batchNum: 7 } }))
    )
    assert.strictEqual(both.message, "Token 4 is not registered; Batch 7 is not registered")
    assert.deepStrictEqual([both.filter, both.kind, both.value], ["tokenId", "token", 4])
    assert.isNull(failure("transactions", { batchNum: 1 }))
    assert.isNull(failure("transactions", { accountIndex: 256 }))
    assert.isNull(failure("accounts", { address: addressOf(99) }))
  })

  it("queued transactions are listed among the forged ones on request, with the addresses of later accounts", () => {
    const ledger = openMemoryLedger({ genesis })
    const [first, second] = [newAccount(256, 1), newAccount(257, 2)]
    const sent = { ...newQueued(1, 0, 256), fromAccountIndex: 256, toAccountIndex: 257 }
    const batchOf = (view: LedgerView, batchNum: number) => ({
      batch: newBatch(view, batchNum),
      accounts: [batchNum === 1 ? first : second],
      accountUpdates: [],
      forged: [],
      transactions: [newTransaction(first, first, batchNum, 0)],
      exits: []
    })
    applyBlock(ledger, (view) => ({ queued: [sent], batches: [batchOf(view, 1)] }))
    const idsOf = (
      filters: FiltersOf<"transactions">,
      page: Pick<ListQuery<"transactions">, "fromItem" | "order" | "limit"> = {}
    ) => {
      const { items, counts } = Result.getOrThrow(ledger.list("transactions", { filters, ...page }))
      return [items.map(({ transaction }) => transaction.itemId), ...Object.values(counts)]
    }
    const includePending = true
    assert.deepStrictEqual(idsOf({ includePending, toAddress: second.address }), [
      [],
      0,
      0,
      null,
      null
    ])
    applyBlock(ledger, (view) => ({ batches: [batchOf(view, 2)] }))
    assert.deepStrictEqual(idsOf({}), [[2, 3], 0, 2, 2, 3])
    assert.deepStrictEqual(idsOf({ includePending: false }), [[2, 3], 0, 2, 2, 3])
    assert.deepStrictEqual(idsOf({ includePending }), [[1, 2, 3], 0, 3, 1, 3])
    assert.deepStrictEqual(idsOf({ includePending }, { order: "DESC", limit: 2 }), [
      [3, 2],
      1,
      3,
      1,
      3
    ])
    assert.deepStrictEqual(idsOf({ includePending }, { fromItem: 2, limit: 1 }), [[2], 1, 3, 1, 3])
    assert.deepStrictEqual(idsOf({ includePending, toAddress: second.address }), [[1], 0, 1, 1, 1])
    assert.deepStrictEqual(idsOf({ includePending, batchNum: 1 }), [[2], 0, 1, 2, 2])
    applyBlock(ledger, (view) => ({
      batches: [{
        ...batchOf(view, 3),
        batch: { ...newBatch(view, 3, 1), forgedTransactions: 1 },
        accounts: [],
        transactions: [],
        forged: [{ ...asForged(sent, 256), toAddress: second.address }]
      }]
    }))
    assert.deepStrictEqual(idsOf({ includePending }), [[2, 3, 4], 0, 3, 2, 4])
    assert.deepStrictEqual(idsOf({ fromAccountIndex: 256, toAccountIndex: 257 }), [[4], 0, 1, 4, 4])
    assert.deepStrictEqual(idsOf({ fromAccountIndex: 256, toAccountIndex: 256 }), [
      [2, 3],
      0,
      2,
      2,
      3
    ])
    rollBackTo(ledger, 102n)
    assert.deepStrictEqual(idsOf({ includePending }), [[1, 2, 3], 0, 3, 1, 3])
  })

  it("slots end with the last one that is open for bids, or with the one that the filter names", () => {
    const ledger = openMemoryLedger({ genesis })
    const counts = (filters: Parameters<typeof ledger.list<"slots">>[1]["filters"]) =>
      Result.getOrThrow(ledger.list("slots", { filters })).counts
    assert.deepStrictEqual(counts({}), {
      pendingItems: 13,
      totalItems: 33,
      firstItem: 0,
      lastItem: 32
    })
    assert.deepStrictEqual(counts({ finishedAuction: true }), {
      pendingItems: 0,
      totalItems: 3,
      firstItem: 0,
      lastItem: 2
    })
    assert.deepStrictEqual(counts({ finishedAuction: false, minSlotNum: 30 }), {
      pendingItems: 0,
      totalItems: 3,
      firstItem: 30,
      lastItem: 32
    })
    assert.deepStrictEqual(counts({ minSlotNum: slotNumMax - 1, maxSlotNum: slotNumMax }), {
      pendingItems: 0,
      totalItems: 2,
      firstItem: slotNumMax - 1,
      lastItem: slotNumMax
    })
    assert.deepStrictEqual(counts({ minSlotNum: 40 }), {
      pendingItems: 0,
      totalItems: 0,
      firstItem: null,
      lastItem: null
    })
    assert.deepStrictEqual(counts({ finishedAuction: true, minSlotNum: 5, maxSlotNum: 9 }), {
      pendingItems: 0,
      totalItems: 0,
      firstItem: null,
      lastItem: null
    })
  })

  it("a forger has the slots and bids of all bidders whose latest registration names it", () => {
    const ledger = openMemoryLedger({ genesis })
    const register = (bidder: number, forger: number) => ({
      bidderAddr: bidders[bidder]!,
      forgerAddr: forgers[forger]!,
      url: "https://c",
      ethereumBlockNum: 1n
    })
    applyBlock(ledger, () => ({
      coordinators: [register(0, 0), register(1, 0), register(2, 1)],
      bids: [
        newBid(0, bidders[0]!, 20n),
        newBid(1, bidders[1]!, 20n),
        newBid(2, bidders[2]!, 20n),
        newBid(1, bidders[2]!, 30n),
        // an open auction has no winner
        newBid(50, bidders[0]!, 20n)
      ]
    }))
    const won = (forger: number) =>
      Result.getOrThrow(ledger.list("slots", { filters: { wonByForger: forgers[forger]! } })).items
        .map(({ slotNum }) => slotNum)
    const made = (forger: number) =>
      Result.getOrThrow(ledger.list("bids", { filters: { forgerAddr: forgers[forger]! } })).items
        .map(({ bid }) => bid.itemId)
    assert.deepStrictEqual([won(0), won(1), made(0), made(1)], [[0], [1, 2], [1, 2, 5], [3, 4]])
    applyBlock(ledger, () => ({ coordinators: [register(2, 0)] }))
    assert.deepStrictEqual([won(0), won(1), made(0), made(1)], [[0, 1, 2], [], [1, 2, 3, 4, 5], []])
    rollBackTo(ledger, 101n)
    assert.deepStrictEqual([won(0), won(1), made(0), made(1)], [[0], [1, 2], [1, 2, 5], [3, 4]])
    rollBackTo(ledger, 100n)
    assert.deepStrictEqual([won(0), won(1), made(0), made(1)], [[], [], [], []])
  })
})
