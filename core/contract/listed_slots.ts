import { type AuctionClock, lastClosedSlot, lastOpenSlot, slotNumMax } from "../domain/mod.ts"
import type { FiltersOf } from "./list.ts"

/** The slots [first, end). */
export interface SlotRange {
  readonly first: number
  readonly end: number
}

/**
 * Returns the range of slots that a list with these filters covers at a clock: by default from slot
 * 0 to the last one whose auction is open. An auction that is not closed has no winner, so a list of
 * won slots ends with the last closed one.
 */
export const listedSlots = (
  { finishedAuction, maxSlotNum, minSlotNum = 0, wonByBidder, wonByForger }: FiltersOf<"slots">,
  clock: AuctionClock
): SlotRange => {
  const isClosed = finishedAuction === true || wonByBidder !== undefined ||
    wonByForger !== undefined
  const last = Math.min(
    maxSlotNum ?? lastOpenSlot(clock),
    isClosed ? lastClosedSlot(clock) : slotNumMax
  )
  return { first: minSlotNum, end: Math.max(minSlotNum, last + 1) }
}
