import type {
  AuctionVariables,
  Bid,
  BidView,
  Coordinator,
  EthereumBlock,
  SlotView
} from "../../../core/domain/mod.ts"
import { slotOf } from "./_draft.ts"
import type { Facts } from "../facts.ts"

/* The slot of the last block or of the head above it. */

/** Returns the block up to which the ledger is synchronised. */
export const lastBlock = ({ blocks, head }: Facts): EthereumBlock => {
  const stored = blocks.at(-1)!
  return head !== null && head.number > stored.number ? head : stored
}

export const currentSlot = (facts: Facts): number => slotOf(facts, lastBlock(facts).number)

export const lastClosedSlot = (facts: Facts): number =>
  Math.min(2 ** 32 - 1, currentSlot(facts) + facts.variables.auction.closedAuctionSlots)

export const lastOpenSlot = (facts: Facts): number =>
  Math.min(2 ** 32 - 1, lastClosedSlot(facts) + facts.variables.auction.openAuctionSlots)

/** Returns the last registration of a bidder. */
export const registration = (facts: Facts, bidder: string): Coordinator | undefined =>
  facts.coordinators.findLast(({ bidderAddr }) => bidderAddr === bidder)

export const bidView = (facts: Facts, bid: Bid): BidView => ({
  bid,
  coordinator: registration(facts, bid.bidderAddr)!
})

/** Returns the last bid, which is the highest: each exceeds the one before. */
export const bestBid = (facts: Facts, slot: number): BidView | null => {
  const bid = facts.bids.findLast(({ slotNum }) => slotNum === slot)
  return bid === undefined ? null : bidView(facts, bid)
}

export const firstBlock = ({ genesis: { constants: { auction } } }: Facts, slot: number): bigint =>
  auction.genesisBlockNum + BigInt(slot) * BigInt(auction.blocksPerSlot)

/** Returns the best bidder, or null if the bid is below the minimum of the slot. */
export const winner = (facts: Facts, slot: number): Coordinator | null => {
  const best = bestBid(facts, slot)
  if (best === null) return null
  return best.bid.bidValue >= minimumBids(facts.auctionVariables, slot)[slot % 6]!
    ? best.coordinator
    : null
}

/** The default bids, and the last slot that their change left as it was. */
type DefaultBids = Pick<AuctionVariables, "defaultSlotSetBid" | "defaultSlotSetBidSlotNum">

/**
 * Returns the default bids of a slot as the contract stores them: the first change that finds the
 * slot closed writes the ones before it into the slot, and later changes leave them.
 */
function minimumBids(
  newestFirst: ReadonlyArray<DefaultBids>,
  slot: number
): ReadonlyArray<bigint> {
  let former = newestFirst.at(-1)!
  for (const change of newestFirst.toReversed().slice(1)) {
    if (isSame(former, change)) continue
    if (slot <= change.defaultSlotSetBidSlotNum) break
    former = change
  }
  return former.defaultSlotSetBid
}

const isSame = (a: DefaultBids, b: DefaultBids): boolean =>
  a.defaultSlotSetBidSlotNum === b.defaultSlotSetBidSlotNum &&
  a.defaultSlotSetBid.join() === b.defaultSlotSetBid.join()

/** Returns the first slot that has the newest default bids, 2^32 if none has. */
export function firstSlotOfBids(newestFirst: ReadonlyArray<DefaultBids>): number {
  const oldestFirst = newestFirst.toReversed()
  const changes = oldestFirst.filter((change, i) => i > 0 && !isSame(oldestFirst[i - 1]!, change))
  return Math.max(0, ...changes.map((change) => change.defaultSlotSetBidSlotNum + 1))
}

export const slot = (facts: Facts, slotNum: number): SlotView => {
  const closedAuction = slotNum <= lastClosedSlot(facts)
  return {
    slotNum,
    firstBlock: firstBlock(facts, slotNum),
    lastBlock: firstBlock(facts, slotNum + 1) - 1n,
    openAuction: lastClosedSlot(facts) < slotNum && slotNum <= lastOpenSlot(facts),
    closedAuction,
    bestBid: bestBid(facts, slotNum),
    winner: closedAuction ? winner(facts, slotNum) : null
  }
}
