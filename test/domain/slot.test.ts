import { assert, describe, it } from "@effect/vitest"
import {
  applicableVariables,
  auctionClock,
  type AuctionVariables,
  changedAuctionVariables,
  genesisVariables,
  lastClosedSlot,
  lastOpenSlot,
  reachesMinimum,
  slotNumMax
} from "../../core/domain/mod.ts"
import { genesis } from "../use_cases/_network.ts"
import type { MinimumBidCase } from "../vectors/batch_cases.ts"
import { verifyCases } from "../vectors/mod.ts"

const clock = auctionClock(genesis.constants.auction, genesisVariables(genesis).auction, 120n)

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
  it("end with the greatest number", () => {
    for (const currentSlot of [slotNumMax - 1, slotNumMax]) {
      assert.deepStrictEqual([
        lastClosedSlot({ ...clock, currentSlot }),
        lastOpenSlot({ ...clock, currentSlot })
      ], [slotNumMax, slotNumMax])
    }
    assert.strictEqual(lastOpenSlot({ ...clock, currentSlot: slotNumMax - 50 }), slotNumMax)
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
})
