import { assert, describe, it } from "@effect/vitest"
import {
  applicableVariables,
  auctionClock,
  type AuctionVariables,
  type BidView,
  bootCoordinator,
  changedAuctionVariables,
  firstBlockOfSlot,
  genesisVariables,
  lastClosedSlot,
  lastOpenSlot,
  reachesMinimum,
  slotNumMax,
  slotOfBlock,
  slotView
} from "../../core/domain/mod.ts"
import { genesis } from "../use_cases/_network.ts"
import type { MinimumBidCase } from "../vectors/batch_cases.ts"
import { verifyCases } from "../vectors/mod.ts"

/**
 * Slots of ten blocks from block 100 on; two are closed besides the current one, and then a hundred
 * are open.
 */
const constants = genesis.constants.auction
const variables: AuctionVariables = {
  ...genesisVariables(genesis).auction,
  defaultSlotSetBid: [10n, 11n, 12n, 13n, 14n, 15n]
}
const clock = auctionClock(constants, variables, 120n)

const bidOf = (slotNum: number, bidValue: bigint): BidView => ({
  bid: {
    itemId: 1,
    slotNum,
    bidderAddr: "0x1",
    withdrawAddr: "0x1",
    bidValue,
    ethereumBlockNum: 1n,
    timestampMs: 1
  },
  coordinator: { itemId: 1, bidderAddr: "0x1", forgerAddr: "0x2", url: "", ethereumBlockNum: 1n }
})

/** Returns the variables after the changes, the newest first. */
function variablesAfter({ changes, genesisBids }: MinimumBidCase): ReadonlyArray<AuctionVariables> {
  const { auction } = genesisVariables(genesis)
  let former: AuctionVariables = { ...auction, defaultSlotSetBid: genesisBids.map(BigInt) }
  const sets = [former]
  for (const { bid, closedAuctionSlots, currentSlot, slotSet } of changes) {
    former = changedAuctionVariables(former, {
      ...former,
      closedAuctionSlots,
      defaultSlotSetBid: former.defaultSlotSetBid.with(slotSet, BigInt(bid)),
      defaultSlotSetBidSlotNum: currentSlot + closedAuctionSlots
    })
    sets.unshift(former)
  }
  return sets
}

describe("slots", () => {
  it("have ten blocks each, and earlier blocks belong to slot 0", () => {
    assert.deepStrictEqual(
      [0n, 99n, 100n, 109n, 110n, 119n, 120n].map((block) => slotOfBlock(constants, block)),
      [0, 0, 0, 0, 1, 1, 2]
    )
    assert.deepStrictEqual([0, 1, 7].map((slot) => firstBlockOfSlot(constants, slot)), [
      100n,
      110n,
      170n
    ])
  })

  it("are closed up to two after the current one, then open, then neither", () => {
    assert.deepStrictEqual([clock.currentSlot, lastClosedSlot(clock), lastOpenSlot(clock)], [
      2,
      4,
      104
    ])
    const shown = [0, 4, 5, 104, 105].map((slotNum) => slotView(clock, slotNum, null))
    assert.deepStrictEqual(shown.map(({ closedAuction }) => closedAuction), [
      true,
      true,
      false,
      false,
      false
    ])
    assert.deepStrictEqual(shown.map(({ openAuction }) => openAuction), [
      false,
      false,
      true,
      true,
      false
    ])
    assert.deepStrictEqual(slotView(clock, 5, null), {
      slotNum: 5,
      firstBlock: 150n,
      lastBlock: 159n,
      openAuction: true,
      closedAuction: false,
      bestBid: null,
      winner: null
    })
  })

  it("end with the greatest number", () => {
    for (const currentSlot of [slotNumMax - 1, slotNumMax]) {
      assert.deepStrictEqual([
        lastClosedSlot({ ...clock, currentSlot }),
        lastOpenSlot({ ...clock, currentSlot })
      ], [slotNumMax, slotNumMax])
    }
    assert.strictEqual(lastOpenSlot({ ...clock, currentSlot: slotNumMax - 50 }), slotNumMax)
  })

  it("are won by the best bid once they are closed, if it reaches the minimum", () => {
    const winners = [[4, 14n], [4, 13n], [5, 15n], [5, 1000n]] as const
    const shown = winners.map(([slotNum, bidValue]) =>
      slotView(clock, slotNum, { bestBid: bidOf(slotNum, bidValue), applicable: variables })
    )
    assert.deepStrictEqual(shown.map(({ winner }) => winner?.forgerAddr ?? null), [
      "0x2",
      null,
      null,
      null
    ])
    assert.deepStrictEqual(
      shown.map(({ bestBid }) => bestBid?.bid.bidValue),
      winners.map(([, value]) => value)
    )
  })

  it("have the default minimum bids of a model of the contract after changes", () => {
    verifyCases<MinimumBidCase>("minimum-bids", 60, (vector) => {
      const sets = variablesAfter(vector)
      for (const [slotNum, minimum] of vector.minima) {
        const applicable = applicableVariables(sets, slotNum)!
        const reaches = (bidValue: bigint) => reachesMinimum({ slotNum, bidValue }, applicable)
        assert.isTrue(reaches(BigInt(minimum)), `slot ${slotNum}`)
        assert.isFalse(reaches(BigInt(minimum) - 1n), `slot ${slotNum}`)
      }
    })
  })

  it("are forged by the boot coordinator if no bid wins", () => {
    const { bootCoordinator: forgerAddr, bootCoordinatorUrl: url } = variables
    assert.deepStrictEqual(bootCoordinator(variables), {
      itemId: 0,
      bidderAddr: `0x${"0".repeat(40)}`,
      forgerAddr,
      url,
      ethereumBlockNum: 0n
    })
  })
})
