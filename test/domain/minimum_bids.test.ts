import { assert, describe, it } from "@effect/vitest"
import {
  applicableVariables,
  type AuctionVariables,
  changedAuctionVariables,
  genesisVariables,
  reachesMinimum
} from "../../core/domain/mod.ts"
import { genesis } from "../use_cases/_network.ts"
import type { MinimumBidCase } from "../vectors/batch_cases.ts"
import { verifyCases } from "../vectors/mod.ts"

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

describe("default minimum bids after changes", () => {
  it("are those of a model of the contract", () => {
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
