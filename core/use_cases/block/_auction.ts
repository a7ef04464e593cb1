import type { New, Coordinator } from "../../domain/mod.ts"
import { type BlockViolation, violation } from "../violation/mod.ts"
import type { BlockOverlay } from "./_block_overlay.ts"

/**
 * Registers coordinators. If a bidder registers twice in a block, the last registration counts:
 * sorting by forger would otherwise decide.
 */
export function registerCoordinators(overlay: BlockOverlay): undefined {
  for (const coordinator of overlay.block.coordinators ?? []) {
    overlay.registrations.set(coordinator.bidderAddr, {
      ...coordinator,
      ethereumBlockNum: overlay.block.number
    })
  }
}

/**
 * Returns the registrations by forger address, so that the documented order is the storage order.
 */
export const sortedRegistrations = (overlay: BlockOverlay): ReadonlyArray<New<Coordinator>> =>
  [...overlay.registrations.values()].sort((a, b) =>
    compare(a.forgerAddr, b.forgerAddr) || compare(a.bidderAddr, b.bidderAddr)
  )

/**
 * Places the bids of the block. It does not check whether the slot was open and whether the bid is
 * high enough: the contract did.
 */
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
