import { assert, describe, it } from "@effect/vitest"
import { Auction } from "../../adapters/memory/state/_auction.ts"
import { type Constraint, splitThreshold } from "../../adapters/memory/filter_index/index_keys.ts"
import { History } from "../../adapters/memory/state/_history.ts"
import { openMemoryLedger } from "../../adapters/memory/mod.ts"
import { noTotals } from "../../core/ports/mod.ts"
import { FilterIndex } from "../../adapters/memory/filter_index/filter_index.ts"
import { PositionRange } from "../../adapters/memory/filter_index/position_set.ts"
import {
  indexKeyNumber,
  indexKeyNumbers,
  indexKeysOf
} from "../../adapters/memory/state/list_index_keys.ts"
import { genesisVariables, type Transaction } from "../../core/domain/mod.ts"
import { genesis } from "../use_cases/_network.ts"
import { addressOf, keyOf, newAccount, newBatch, newBid, newTransaction } from "./_chain.ts"
import { Random } from "./_random.ts"

/** Positions that count how often one of them is read. */
const countedPositions = (positions: ReadonlyArray<number>) => {
  const counted = { reads: 0, positions }
  counted.positions = new Proxy(positions, {
    get: (target, index) => {
      if (index !== "length") counted.reads++
      return Reflect.get(target, index)
    }
  })
  return counted
}

/** The filters by account, address and key, and the value that each has for a number. */
const families = [
  { either: "accountIndex", ofNumber: (number: number) => 256 + number },
  { either: "address", ofNumber: addressOf },
  { either: "publicKey", ofNumber: keyOf }
]
const sideFilter = (prefix: string, either: string) =>
  `${prefix}${either[0]!.toUpperCase()}${either.slice(1)}`

describe("the cost of reads in memory", () => {
  it("transactions by sender, by receiver or by both are read from few lists, however many match", () => {
    const accounts = Array.from({ length: 40 }, (_, i) => newAccount(256 + i, 1, i))
    const rows: Array<Transaction> = []
    let rowsRead = 0
    const index = new FilterIndex(indexKeysOf("transactions"), (position) => {
      rowsRead++
      return rows[position]!
    })
    const random = new Random(54)
    // 0 and 1 have thousands of transactions with each other and with themselves, the others few
    const party = () => random.chance(0.97) ? random.below(2) : random.below(40)
    for (let i = 0; i < 6000; i++) {
      const [from, to] = [accounts[party()]!, accounts[party()]!]
      const type = random.of(["Transfer", "Deposit"] as const)
      rows.push({ itemId: i, ...newTransaction(from, to, type), tokenId: random.below(2) })
      index.append(rows[i]!, i)
    }
    const check = (
      filters: { readonly [filter: string]: string | number },
      listCount: number,
      isMatching: (transaction: Transaction) => boolean
    ) => {
      const constraints = Object.entries(filters).map(([filter, value]): Constraint => ({
        indexKeys: indexKeyNumbers("transactions", filter),
        values: new Set([value])
      })).sort((one, other) => one.indexKeys[0]! - other.indexKeys[0]!)
      rowsRead = 0
      const positions = index.select(constraints, 0, rows.length)
      const page = [positions.count, positions.descendingBelow(4000, 20)]
      assert.isAtMost(rowsRead, listCount * splitThreshold, JSON.stringify(filters))
      const matching = rows.filter(isMatching).map(({ itemId }) => itemId)
      const expected = matching.filter((position) => position < 4000).reverse().slice(0, 20)
      assert.deepStrictEqual(page, [matching.length, expected], JSON.stringify(filters))
    }
    for (const { either, ofNumber } of families) {
      const [sender, receiver] = [sideFilter("from", either), sideFilter("to", either)]
      const hasSide = (transaction: Transaction, filter: string, number: number) =>
        transaction[filter as keyof Transaction] === ofNumber(number)
      const others: ReadonlyArray<{ readonly type?: string; readonly tokenId?: number }> = [
        {},
        { type: "Deposit" },
        ...either === "accountIndex" ? [] : [{ tokenId: 1 }, { tokenId: 1, type: "Transfer" }]
      ]
      for (const other of others) {
        const isOther = ({ tokenId, type }: Transaction) =>
          (other.type ?? type) === type && (other.tokenId ?? tokenId) === tokenId
        for (const one of [0, 7, 50]) {
          check(
            { [either]: ofNumber(one), ...other },
            3,
            (each) => isOther(each) && (hasSide(each, sender, one) || hasSide(each, receiver, one))
          )
          for (const filter of [sender, receiver]) {
            check(
              { [filter]: ofNumber(one), ...other },
              2,
              (each) => isOther(each) && hasSide(each, filter, one)
            )
          }
          for (const another of [0, 1, 7]) {
            const pair = { [sender]: ofNumber(one), [receiver]: ofNumber(another) }
            check(
              { ...pair, ...other },
              one === another ? 1 : 4,
              (each) =>
                isOther(each) && hasSide(each, sender, one) && hasSide(each, receiver, another)
            )
          }
        }
      }
    }
  })

  it("the common positions of a long and a short list are found with few reads for each position of the short one", () => {
    const huge = Array.from({ length: 1_000_000 }, (_, i) => 2 * i)
    const small = Array.from({ length: 100 }, (_, i) => 201 * i * i)
    for (const isReversed of [false, true]) {
      const lists = [countedPositions(huge), countedPositions(small)]
      const [one, other] = (isReversed ? lists.toReversed() : lists)
        .map(({ positions }) => new PositionRange(positions, 0, positions.length))
      assert.deepStrictEqual(
        one!.intersection(other!).positions,
        small.filter((position) => position % 2 === 0)
      )
      const reads = lists[0]!.reads + lists[1]!.reads
      assert.isAtMost(reads, small.length * 3 * Math.log2(huge.length))
    }
  })

  it("the bids and slots of a forger are one list, however many bidders it has and whatever their earlier registrations", () => {
    const auction = new Auction(() => genesisVariables(genesis).auction)
    const [oldForger, newForger] = [addressOf(0x41), addressOf(0x42)]
    let itemId = 1
    const register = (bidder: number, forgerAddr: string) =>
      auction.register({
        itemId: itemId++,
        bidderAddr: addressOf(bidder),
        forgerAddr,
        url: "",
        ethereumBlockNum: 1n
      })
    const counts = () =>
      [oldForger, newForger].map((forger) =>
        (["bids", "slots"] as const).map((list) => {
          const index = list === "bids" ? auction.bids.index : auction.slots
          const indexKey = indexKeyNumber(list, list === "bids" ? "forgerAddr" : "wonByForger")
          const values = new Set([forger])
          const constraint = { indexKeys: [indexKey], values }
          const { count, ranges } = index.select([constraint], 0, 10_000)
          assert.isAtMost(ranges.length, 1)
          return count
        })
      )
    for (let bidder = 1; bidder <= 500; bidder++) {
      register(bidder, oldForger)
      for (let i = 0; i < 3; i++) {
        const bid = newBid((bidder * 3 + i) % 1000, addressOf(bidder), BigInt(bidder))
        auction.bid({ itemId: itemId++, ...bid })
      }
    }
    assert.deepStrictEqual(counts(), [[1500, 1000], [0, 0]])
    // bids 503 to 1502 are the best of their slots: one of bidder 167, three of each later bidder
    for (let bidder = 1; bidder <= 500; bidder += 2) register(bidder, newForger)
    assert.deepStrictEqual(counts(), [[750, 501], [750, 499]])
    auction.truncateCoordinators(500)
    assert.deepStrictEqual(counts(), [[1500, 1000], [0, 0]])
    auction.truncateBids(0)
    auction.truncateCoordinators(0)
    assert.deepStrictEqual(counts(), [[0, 0], [0, 0]])
  })

  it("a rollback reads each queued transaction a few times, however many batches it removes", () => {
    const history = new History()
    const { base } = openMemoryLedger({ genesis })
    const queues = 100
    let reads = 0
    for (let queue = 0; queue < queues; queue++) {
      const [account, l1] = [newAccount(256, 1), { toForgeL1TransactionsNum: queue }]
      const row = { ...newTransaction(account, account, "Deposit"), itemId: queue + 1 }
      history.queues.enqueue(
        Object.defineProperty(row, "l1", { get: () => (reads++, l1) })
      )
    }
    for (let queue = 0; queue < queues; queue++) {
      const { batch } = newBatch(base, queue + 1)
      history.addBatch({
        batch: { ...batch, itemId: queue + 1, forgeL1TransactionsNum: queue },
        accountChanges: [],
        forged: [],
        transactions: [],
        exits: [],
        totals: noTotals,
        lastForgedQueue: queue,
        next: base.next
      })
    }
    assert.strictEqual(history.queues.unforged, 0)
    reads = 0
    history.truncate(0)
    assert.strictEqual(history.queues.unforged, queues)
    assert.isAtMost(reads, 2 * queues)
  })
})
