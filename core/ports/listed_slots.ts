import { type AuctionClock, lastClosedSlot, lastOpenSlot, slotNumMax } from "../domain/mod.ts"
import type { FiltersOf } from "../contract/mod.ts"

/** The slots [first, end). */
export interface SlotRange {
  readonly first: number
  readonly end: number
}

/**
 * Returns the range of slots that a list with these filters covers at a clock: by default from slot
 * 0 to the last one whose auction is open. An auction that is not closed has no winner, so a list of
 * won slots ends with the last closed one.
 *
 * @example
 * ```ts
 * import { auctionClock, genesisVariables, listedSlots } from "rollup-node-api"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const { auction } = genesisVariables(genesis)
 * const clock = auctionClock(genesis.constants.auction, auction, genesis.block.number)
 * console.log(listedSlots({ minSlotNum: 1, maxSlotNum: 2 }, clock)) // => { first: 1, end: 3 }
 * ```
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
