import { type AuctionClock, type SlotView, slotView } from "../../core/domain/mod.ts"
import type { LedgerState } from "./state/mod.ts"

/** A slot as the last block leaves it; every number is one. */
export const slotAt = (
  { auction, parameters }: LedgerState,
  clock: AuctionClock,
  slotNum: number
): SlotView => {
  const bestBid = auction.bestBid(slotNum)
  return slotView(
    clock,
    slotNum,
    bestBid === undefined ? null : { bestBid, applicable: parameters.auctionOf(slotNum) }
  )
}
