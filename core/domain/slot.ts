import { type Bid, type BidView, type Coordinator, slotNumMax, type SlotView } from "./auction.ts"
import type { AuctionConstants, AuctionVariables } from "./parameters.ts"
import { ZERO_ADDRESS } from "../encoding/mod.ts"

/** The state of the auctions at a block (domain §3.8). */
export interface AuctionClock {
  readonly constants: Pick<AuctionConstants, "genesisBlockNum" | "blocksPerSlot">
  readonly variables: AuctionVariables
  /** Slot of the last block; 0 before the first slot. */
  readonly currentSlot: number
}

/** Returns the slot of a block: whole slots since the genesis block, 0 before it. */
export const slotOfBlock = (constants: AuctionClock["constants"], blockNum: bigint): number =>
  blockNum <= constants.genesisBlockNum
    ? 0
    : Number((blockNum - constants.genesisBlockNum) / BigInt(constants.blocksPerSlot))

export const auctionClock = (
  constants: AuctionClock["constants"],
  variables: AuctionVariables,
  lastBlockNum: bigint
): AuctionClock => ({ constants, variables, currentSlot: slotOfBlock(constants, lastBlockNum) })

export const firstBlockOfSlot = (constants: AuctionClock["constants"], slotNum: number): bigint =>
  constants.genesisBlockNum + BigInt(slotNum) * BigInt(constants.blocksPerSlot)

/** Returns the last slot that no longer accepts bids, at most the greatest slot number. */
export const lastClosedSlot = (clock: AuctionClock): number =>
  Math.min(slotNumMax, clock.currentSlot + clock.variables.closedAuctionSlots)

/** Returns the last slot that accepts bids. */
export const lastOpenSlot = (clock: AuctionClock): number =>
  Math.min(slotNumMax, lastClosedSlot(clock) + clock.variables.openAuctionSlots)

/** Returns the coordinator that forges if no bid wins. */
export const bootCoordinator = (variables: AuctionVariables): Coordinator => ({
  itemId: 0,
  bidderAddr: ZERO_ADDRESS,
  forgerAddr: variables.bootCoordinator,
  url: variables.bootCoordinatorUrl,
  ethereumBlockNum: 0n
})

/**
 * Returns whether a bid reaches the minimum of its slot, given the variables with the default bids
 * of that slot.
 */
export const reachesMinimum = (
  bid: Pick<Bid, "bidValue" | "slotNum">,
  applicable: Pick<AuctionVariables, "defaultSlotSetBid">
): boolean => bid.bidValue >= (applicable.defaultSlotSetBid[bid.slotNum % 6] ?? 0n)

/**
 * Returns the variables with the default bids of a slot: the newest set whose first slot is not
 * after it.
 */
export const applicableVariables = (
  newestFirst: Iterable<AuctionVariables>,
  slotNum: number
): AuctionVariables | undefined => {
  let oldest: AuctionVariables | undefined
  for (const variables of newestFirst) {
    if (variables.defaultSlotSetBidSlotNum <= slotNum) return variables
    oldest = variables
  }
  return oldest
}

/**
 * Returns the slot of any slot number. `best` is the best bid with the variables that have the
 * default bids of the slot.
 */
export const slotView = (
  clock: AuctionClock,
  slotNum: number,
  best: { readonly bestBid: BidView; readonly applicable: AuctionVariables } | null
): SlotView => {
  const closedAuction = slotNum <= lastClosedSlot(clock)
  const firstBlock = firstBlockOfSlot(clock.constants, slotNum)
  return {
    slotNum,
    firstBlock,
    lastBlock: firstBlock + BigInt(clock.constants.blocksPerSlot) - 1n,
    openAuction: !closedAuction && slotNum <= lastOpenSlot(clock),
    closedAuction,
    bestBid: best?.bestBid ?? null,
    winner: closedAuction && best !== null && reachesMinimum(best.bestBid.bid, best.applicable)
      ? best.bestBid.coordinator
      : null
  }
}
