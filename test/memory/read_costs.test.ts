import { assert, describe, it } from "@effect/vitest"
import { ApplicableSets } from "../../adapters/memory/state/_applicable_sets.ts"
import { Auction } from "../../adapters/memory/state/_auction.ts"
import { splitThreshold } from "../../adapters/memory/filter_index/facets.ts"
import { facetNumber } from "../../adapters/memory/state/list_facets.ts"
import { TextIndex } from "../../adapters/memory/filter_index/_text_index.ts"
import { applicableVariables, type AuctionVariables } from "../../core/domain/mod.ts"
import { addressOf, genesis, newBid } from "./_chain.ts"
import { Random } from "./_random.ts"

const setFrom = (defaultSlotSetBidSlotNum: number, age: number): AuctionVariables => ({
  ...genesis.variables.auction,
  ethereumBlockNum: BigInt(age),
  defaultSlotSetBidSlotNum
})

describe("the cost of reads in memory", () => {
  for (const seed of [51, 52, 53]) {
    it(`the applicable variables equal those of a walk over all sets, while sets are added and removed (seed ${seed})`, () => {
      const random = new Random(seed)
      const all = [setFrom(random.below(10), 0)]
      const sets = new ApplicableSets(all[0]!)
      for (let i = 0; i < 400; i++) {
        if (all.length > 1 && random.chance(0.4)) {
          all.pop()
          sets.pop()
        } else {
          all.push(setFrom(random.below(30), i))
          sets.push(all.at(-1)!)
        }
        for (let slot = 0; slot < 32; slot++) {
          assert.strictEqual(sets.setOf(slot), applicableVariables(all.toReversed(), slot))
        }
      }
    })
  }

  it("the bids and slots of a forger are one list, however many bidders it has and whatever their earlier registrations", () => {
    const auction = new Auction(() => setFrom(0, 0))
    const [oldForger, newForger] = [addressOf(0x41), addressOf(0x42)]
    const register = (bidder: number, forgerAddr: string) =>
      auction.register({ bidderAddr: addressOf(bidder), forgerAddr, url: "", ethereumBlockNum: 1n })
    const counts = () =>
      [oldForger, newForger].map((forger) =>
        (["bids", "slots"] as const).map((list) => {
          const index = list === "bids" ? auction.bids.index : auction.slots
          const facet = facetNumber(list, list === "bids" ? "forgerAddr" : "wonByForger")
          const keys = new Set([forger])
          const constraint = { kind: "key", facets: [facet], keys } as const
          const { count, ranges } = index.select([constraint], 0, 10_000)
          assert.isAtMost(ranges.length, 1)
          return count
        })
      )
    for (let bidder = 1; bidder <= 500; bidder++) {
      register(bidder, oldForger)
      for (let i = 0; i < 3; i++) {
        auction.bid(newBid((bidder * 3 + i) % 1000, addressOf(bidder), BigInt(bidder)))
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

  it("the 20000 bids of a bidder are reindexed under another forger and back", () => {
    const auction = new Auction(() => setFrom(0, 0))
    const register = (bidder: number, forger: number) =>
      auction.register({
        bidderAddr: addressOf(bidder),
        forgerAddr: addressOf(forger),
        url: "",
        ethereumBlockNum: 1n
      })
    for (const bidder of [1, 2, 3]) register(bidder, bidder === 3 ? 0x42 : 0x41)
    for (let i = 0; i < 60_000; i++) auction.bid(newBid(i % 50, addressOf(1 + i % 3), BigInt(i)))
    const ofForger = (forger: number) => {
      const positions = auction.bids.index.select(
        [
          { kind: "key", facets: [facetNumber("bids", "slotNum")], keys: new Set([7]) },
          {
            kind: "key",
            facets: [facetNumber("bids", "forgerAddr")],
            keys: new Set([addressOf(forger)])
          }
        ],
        0,
        60_000
      )
      return positions.ascendingFrom(0, 60_000)
    }
    const expected = (bidders: ReadonlyArray<number>) =>
      Array.from({ length: 60_000 }, (_, i) => i).filter((i) =>
        i % 50 === 7 && bidders.includes(1 + i % 3)
      )
    register(2, 0x42)
    assert.deepStrictEqual([ofForger(0x41), ofForger(0x42)], [expected([1]), expected([2, 3])])
    auction.truncateCoordinators(3)
    assert.deepStrictEqual([ofForger(0x41), ofForger(0x42)], [expected([1, 2]), expected([3])])
  })

  it("a long part of a name has few candidates: the names that share its rarest substring", () => {
    const prefix = "The wrapped liquidity token of the pair "
    const names = Array.from(
      { length: 3000 },
      (_, i) => `${prefix}${i.toString(36).padStart(4, "0")} with fees, second version of it`
    )
    const index = new TextIndex((position) => names[position]!)
    names.forEach((name, position) => index.append(name, position))
    for (const position of [0, 1234, 2999]) {
      const { positions } = index.candidates(names[position]!)
      assert.include(positions, position)
      assert.isAtMost(positions.length, splitThreshold)
    }
    assert.lengthOf(index.candidates(`${prefix}none`).positions, 0)
  })
})
