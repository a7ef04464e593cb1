import type { New, Coordinator } from "../../domain/mod.ts"
import { type BlockViolation, violation } from "../violation/mod.ts"
import type { BlockOverlay } from "./_block_overlay.ts"

/** Where a bidder registers twice in a block the last registration stands: sorting by forger would otherwise decide which one counts. */
export function registerCoordinators(overlay: BlockOverlay): undefined {
  for (const coordinator of overlay.block.coordinators ?? []) {
    overlay.registrations.set(coordinator.bidderAddr, {
      ...coordinator,
      ethereumBlockNum: overlay.block.number
    })
  }
}

/** By forger address within the block, so that the documented order and the order of storage are one. */
export const sortedRegistrations = (overlay: BlockOverlay): ReadonlyArray<New<Coordinator>> =>
  [...overlay.registrations.values()].sort((a, b) =>
    compare(a.forgerAddr, b.forgerAddr) || compare(a.bidderAddr, b.bidderAddr)
  )

/** Places the bids of the block. Whether a slot was open, and by how much a bid exceeds, was the contract's to judge. */
export function placeBids(overlay: BlockOverlay): BlockViolation | undefined {
  const best = new Map<number, bigint>()
  for (const [position, bid] of (overlay.block.bids ?? []).entries()) {
    const { bidderAddr, bidValue, slotNum } = bid
    if (
      !overlay.registrations.has(bidderAddr) && overlay.view.registration(bidderAddr) === undefined
    ) {
      return violation(
        "bidder-registered",
        bidderAddr,
        "the address of a registered coordinator",
        `/bids/${position}/bidderAddr`
      )
    }
    const highest = best.get(slotNum) ?? overlay.view.bestBid(slotNum)?.bidValue
    if (highest !== undefined && bidValue <= highest) {
      return violation(
        "bid-value",
        bidValue,
        `more than ${highest}, the highest bid of slot ${slotNum} so far`,
        `/bids/${position}/bidValue`
      )
    }
    best.set(slotNum, bidValue)
    overlay.bids.push({
      slotNum,
      bidderAddr,
      bidValue,
      withdrawAddr: bid.withdrawAddr ?? bidderAddr,
      ethereumBlockNum: overlay.block.number,
      timestampMs: overlay.block.timestampMs
    })
  }
  return undefined
}

const compare = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0
