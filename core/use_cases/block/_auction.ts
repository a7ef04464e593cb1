import type { New, Coordinator } from "../../domain/mod.ts"
import { type BlockViolation, violation } from "../violation/mod.ts"
import type { BlockOverlay } from "./_block_overlay.ts"

/** Where a bidder registers twice in a block the last registration stands: sorting by forger would otherwise decide which one counts. */
export function registerCoordinators(work: BlockOverlay): undefined {
  for (const coordinator of work.block.coordinators ?? []) {
    work.registrations.set(coordinator.bidderAddr, {
      ...coordinator,
      ethereumBlockNum: work.block.number
    })
  }
}

/** By forger address within the block, so that the documented order and the order of storage are one. */
export const sortedRegistrations = (work: BlockOverlay): ReadonlyArray<New<Coordinator>> =>
  [...work.registrations.values()].sort((a, b) =>
    compare(a.forgerAddr, b.forgerAddr) || compare(a.bidderAddr, b.bidderAddr)
  )

/** Places the bids of the block. Whether a slot was open, and by how much a bid exceeds, was the contract's to judge. */
export function placeBids(work: BlockOverlay): BlockViolation | undefined {
  const best = new Map<number, bigint>()
  for (const [position, bid] of (work.block.bids ?? []).entries()) {
    const { bidderAddr, bidValue, slotNum } = bid
    if (!work.registrations.has(bidderAddr) && work.view.registration(bidderAddr) === undefined) {
      return violation(
        "bidder-registered",
        bidderAddr,
        "the address of a registered coordinator",
        `/bids/${position}/bidderAddr`
      )
    }
    const highest = best.get(slotNum) ?? work.view.bestBid(slotNum)?.bidValue
    if (highest !== undefined && bidValue <= highest) {
      return violation(
        "bid-value",
        bidValue,
        `more than ${highest}, the highest bid of slot ${slotNum} so far`,
        `/bids/${position}/bidValue`
      )
    }
    best.set(slotNum, bidValue)
    work.bids.push({
      slotNum,
      bidderAddr,
      bidValue,
      withdrawAddr: bid.withdrawAddr ?? bidderAddr,
      ethereumBlockNum: work.block.number,
      timestampMs: work.block.timestampMs
    })
  }
  return undefined
}

const compare = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0
