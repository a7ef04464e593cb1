import { type Bid, type BidView, type Coordinator, slotNumMax, type SlotView } from "./auction.ts"
import type { AuctionConstants, AuctionVariables } from "./parameters.ts"
import { ZERO_ADDRESS } from "../encoding/mod.ts"

/** Where the auctions stand at a block (domain §3.8). */
export interface AuctionClock {
  readonly constants: Pick<AuctionConstants, "genesisBlockNum" | "blocksPerSlot">
  readonly variables: AuctionVariables
  /** Slot of the last block; 0 before the first slot. */
  readonly currentSlot: number
}

/** The slot of a block: whole slots since the genesis block, 0 before it. */
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

/** The last slot in which no bid can be made any more; there is none above the greatest slot number. */
export const lastClosedSlot = (clock: AuctionClock): number =>
  Math.min(slotNumMax, clock.currentSlot + clock.variables.closedAuctionSlots)

/** The last slot in which a bid can be made now. */
export const lastOpenSlot = (clock: AuctionClock): number =>
  Math.min(slotNumMax, lastClosedSlot(clock) + clock.variables.openAuctionSlots)

/** The coordinator that forges where no bid wins. */
export const bootCoordinator = (variables: AuctionVariables): Coordinator => ({
  itemId: 0,
  bidderAddr: ZERO_ADDRESS,
  forgerAddr: variables.bootCoordinator,
  url: variables.bootCoordinatorUrl,
  ethereumBlockNum: 0n
})

/** Whether a bid reaches the minimum of its slot, given the variables whose default bids apply to it. */
export const reachesMinimum = (
  bid: Pick<Bid, "bidValue" | "slotNum">,
  applicable: Pick<AuctionVariables, "defaultSlotSetBid">
): boolean => bid.bidValue >= (applicable.defaultSlotSetBid[bid.slotNum % 6] ?? 0n)

/** The default bids that apply to a slot: the newest set whose first slot is not after it. */
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

/** Any slot number is a slot. Where there is a bid, the variables whose default bids apply to the slot come with the best one. */
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
