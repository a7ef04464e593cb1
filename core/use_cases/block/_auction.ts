import type { New, Coordinator } from "../../domain/mod.ts"
import { type BlockViolation, makeViolation } from "../violation/mod.ts"
import type { BlockOverlay } from "./_block_overlay.ts"

/**
 * Registers coordinators. If a bidder registers twice in a block, only the last registration is
 * stored: `sortedRegistrations` would otherwise change which one is the last.
 */
export function registerCoordinators(overlay: BlockOverlay): undefined {
  for (const coordinator of overlay.block.coordinators ?? []) {
    overlay.registrations.set(coordinator.bidderAddr, {
      ...coordinator,
      ethereumBlockNum: overlay.block.number
    })
  }
}

/** Returns the registrations ascending by forger address, the documented order of the list. */
export const sortedRegistrations = (overlay: BlockOverlay): ReadonlyArray<New<Coordinator>> =>
  [...overlay.registrations.values()].sort((a, b) =>
    compare(a.forgerAddr, b.forgerAddr) || compare(a.bidderAddr, b.bidderAddr)
  )

/**
 * Adds the bids of the block. The contract has checked that the slot was open and that the bid
 * reached the minimum.
 */
export function addBids(overlay: BlockOverlay): BlockViolation | undefined {
  const best = new Map<number, bigint>()
  for (const [position, bid] of (overlay.block.bids ?? []).entries()) {
    const { bidderAddr, bidValue, slotNum } = bid
    if (
      !overlay.registrations.has(bidderAddr) && overlay.view.registration(bidderAddr) === undefined
    ) {
      return makeViolation(
        "bidder-registered",
        bidderAddr,
        "the address of a registered coordinator",
        `/bids/${position}/bidderAddr`
      )
    }
    const highest = best.get(slotNum) ?? overlay.view.bestBid(slotNum)?.bidValue
    if (highest !== undefined && bidValue <= highest) {
      return makeViolation(
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
