import {
  applicableVariables,
  type BlockFeed,
  firstBlockOfSlot,
  reachesMinimum,
  slotOfBlock
} from "../../../core/domain/mod.ts"
import { ZERO_ADDRESS } from "../../../core/encoding/mod.ts"
import { winnerOf } from "../traffic/mod.ts"
import type { Context, Occurrences, World } from "../world/mod.ts"

/** Observes the auction in a block. `before` and `after` are the states before and after it. */
export function observeAuction(
  context: Context,
  block: BlockFeed,
  before: World,
  after: World
): void {
  const { constants: { auction }, occurrences } = context
  for (const { bidderAddr, url } of block.coordinators ?? []) {
    if (bidderAddr === ZERO_ADDRESS) continue
    occurrences.addIf(before.registrations.has(bidderAddr), "coordinator registers again")
    occurrences.addIf(url === "", "coordinator without URL")
  }
  occurrences.addIf(after.registrations.size > 2, "several coordinators")
  observeBids(occurrences, block, before)
  const slotNum = slotOfBlock(auction, block.number)
  occurrences.addIf(
    firstBlockOfSlot(auction, slotNum) === block.number && !after.bids.has(slotNum),
    "slot without bid"
  )
  const expected = winnerOf(
    context,
    { ...after, variables: before.variables, auctionVariables: before.auctionVariables },
    slotNum
  )
  for (const { forgerAddr } of block.batches ?? []) {
    if (forgerAddr !== expected.address) {
      occurrences.add("batch of another coordinator after the slot deadline")
    } else {
      occurrences.add(
        expected.number === 0 ? "batch of the boot coordinator" : "batch of a winner"
      )
    }
  }
  if (block.auctionVariables !== undefined) observeVariables(occurrences, before, after)
}

function observeBids(occurrences: Occurrences, { bids = [] }: BlockFeed, before: World): void {
  const { defaultSlotSetBid, outbidding } = before.variables.auction
  const best = new Map([...before.bids].map(([slotNum, { value }]) => [slotNum, value]))
  for (const { bidValue, slotNum, withdrawAddr } of bids) {
    const former = best.get(slotNum)
    occurrences.add(former === undefined ? "bid" : "outbid")
    const base = former ?? defaultSlotSetBid[slotNum % 6]!
    occurrences.addIf(
      bidValue === base + base * BigInt(outbidding) / 10_000n,
      "least possible bid"
    )
    occurrences.addIf(withdrawAddr !== undefined, "bid with another withdrawal address")
    best.set(slotNum, bidValue)
  }
}

function observeVariables(occurrences: Occurrences, before: World, after: World): void {
  const [from, to] = [before.variables.auction, after.variables.auction]
  for (
    const [name, occurrence] of [
      ["outbidding", "outbidding changed"],
      ["slotDeadline", "slot deadline changed"],
      ["closedAuctionSlots", "closed slots changed"],
      ["openAuctionSlots", "open slots changed"],
      ["donationAddress", "donation address changed"],
      ["allocationRatio", "allocation ratio changed"],
      ["bootCoordinator", "boot coordinator changed"]
    ] as const
  ) occurrences.addIf(String(from[name]) !== String(to[name]), occurrence)
  const [old = 0n, bid = 0n] = [from.defaultSlotSetBid[0], to.defaultSlotSetBid[0]]
  if (old === bid) return
  occurrences.add(bid > old ? "minimum bid raised" : "minimum bid lowered")
  const [{ defaultSlotSetBidFirstSlot: firstSlot }] = after.auctionVariables as [
    World["auctionVariables"][number]
  ]
  occurrences.addIf(
    firstSlot > to.defaultSlotSetBidSlotNum + 1,
    "minimum bid that an earlier change withholds from a slot"
  )
  const isBelow = (world: World, slotNum: number, bidValue: bigint) =>
    !reachesMinimum({ slotNum, bidValue }, applicableVariables(world.auctionVariables, slotNum)!)
  for (const [slotNum, { value }] of after.bids) {
    occurrences.addIf(
      isBelow(after, slotNum, value) && !isBelow(before, slotNum, value),
      "bid below a raised minimum"
    )
  }
}
