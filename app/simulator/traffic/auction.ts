import {
  applicableVariables,
  type BidFeed,
  firstBlockOfSlot,
  reachesMinimum,
  slotOfBlock
} from "../../../core/domain/mod.ts"
import type { EthereumAddress } from "../../../core/encoding/mod.ts"
import type { BlockDraft, Context, World } from "../world/mod.ts"

/** Adds registrations and bids to a block. Coordinator 0, the boot coordinator, does not bid. */
export function addAuctionEvents(context: Context, world: World, draft: BlockDraft): void {
  register(context, world, draft)
  const bids = placeBids(context, world)
  if (bids.length > 0) draft.bids = bids
}

/** A coordinator that forges. */
export interface Forger {
  /** 0 for the boot coordinator. */
  readonly number: number
  readonly address: EthereumAddress
}

/**
 * Returns the coordinator that may forge now, or undefined if none does: the winner of the slot, or
 * the boot coordinator. If it forges nothing before the deadline of the slot, another coordinator
 * forges.
 */
export function forgerOf(context: Context, world: World): Forger | undefined {
  const { constants, random } = context
  const slotNum = slotOfBlock(constants.auction, world.block.number)
  const expected = winnerOf(context, world, slotNum)
  const isAbsent = world.absentSlot === slotNum && world.lastForgedSlot !== slotNum
  if (!isAbsent) return expected
  const blocksOfSlot = world.block.number - firstBlockOfSlot(constants.auction, slotNum)
  if (blocksOfSlot < BigInt(world.variables.auction.slotDeadline)) return undefined
  const others = registeredForgers(context, world).filter(({ number }) =>
    number !== expected.number
  )
  return random.pick(others) ?? expected
}

/** Decides at the first block of a slot whether its forger is absent. */
export function planAbsence({ constants, schedule }: Context, world: World): void {
  const { auction } = constants
  const slotNum = slotOfBlock(auction, world.block.number)
  if (
    world.block.number === firstBlockOfSlot(auction, slotNum) && schedule.takeDue("absentForger")
  ) world.absentSlot = slotNum
}

/** Returns the winner of a slot, or the boot coordinator if there is none. */
function winnerOf(context: Context, world: World, slotNum: number): Forger {
  const boot = { number: 0, address: world.variables.auction.bootCoordinator }
  const bid = world.bids.get(slotNum)
  const applicable = applicableVariables(world.auctionVariables, slotNum)
  if (bid === undefined || applicable === undefined) return boot
  if (!reachesMinimum(bid, applicable)) return boot
  return registeredForgers(context, world).find(({ bidder }) => bidder === bid.bidderAddr) ?? boot
}

/** Returns the coordinators of the simulator that are registered. */
const registeredForgers = (
  { settings, wallets }: Context,
  { registrations }: World
): ReadonlyArray<Forger & { readonly bidder: EthereumAddress }> =>
  Array.from({ length: settings.coordinators }, (_, i) => i + 1).flatMap((number) => {
    const bidder = wallets.coordinator(number).address
    const registration = registrations.get(bidder)
    return registration === undefined ? [] : [{ number, bidder, address: registration.forgerAddr }]
  })

/** Number of slots after the closed ones that coordinators bid for. */
const SLOTS_AHEAD = 6

/** Registers the next coordinator; later, changes the forger address and URL of one of them. */
function register(
  { schedule, wallets, random, settings }: Context,
  world: World,
  draft: BlockDraft
): void {
  const registered = world.registrations.size
  const isChange = registered === settings.coordinators
  if (settings.coordinators === 0) return
  if (isChange ? !schedule.takeDue("registration") : !random.chance(0.6)) return
  const number = isChange ? random.integer(1, registered) : registered + 1
  const bidderAddr = wallets.coordinator(number).address
  const node = isChange ? random.integer(2, 99) : 1
  const registration = {
    bidderAddr,
    forgerAddr: wallets.contractAddress(`forger/${number}/${node}`),
    // some coordinators register without a URL
    url: settings.coordinatorUrl ??
      (node % 4 === 0 ? "" : `https://node${node > 1 ? node : ""}.coordinator-${number}.example`)
  }
  world.registrations.set(bidderAddr, registration)
  draft.coordinators = [...draft.coordinators ?? [], registration]
}

function placeBids(context: Context, world: World): ReadonlyArray<BidFeed> {
  const { constants, random } = context
  const { closedAuctionSlots, openAuctionSlots } = world.variables.auction
  const current = slotOfBlock(constants.auction, world.block.number)
  for (const slot of world.bids.keys()) if (slot < current) world.bids.delete(slot)
  const bidders = [...world.registrations.keys()]
  const bids: Array<BidFeed> = []
  for (let count = bidders.length > 1 ? random.integer(-1, 3) : 0; count > 0; count--) {
    const slotNum = current + closedAuctionSlots +
      random.integer(1, Math.min(openAuctionSlots, SLOTS_AHEAD))
    const bidderAddr = random.pick(bidders)
    // every fifth slot gets no bids
    if (slotNum % 5 === 3 || bidderAddr === undefined) continue
    const bid = bidOf(context, world, slotNum, bidderAddr)
    world.bids.set(slotNum, bid)
    bids.push(bid)
  }
  return bids
}

/** Returns a bid that exceeds the best one, or the minimum, as much as the contract requires. */
function bidOf(
  { wallets, random }: Context,
  world: World,
  slotNum: number,
  bidderAddr: EthereumAddress
): BidFeed {
  const { defaultSlotSetBid, outbidding } = world.variables.auction
  const best = world.bids.get(slotNum)?.bidValue ?? defaultSlotSetBid[slotNum % 6] ?? 0n
  // some bids are the least that the contract accepts
  const surplus = random.chance(0.2) ? 0 : random.integer(1, 2500)
  const bidValue = best + best * BigInt(outbidding + surplus) / 10_000n
  const withdrawAddr = random.chance(0.2)
    ? { withdrawAddr: wallets.contractAddress(`withdraw/${bidderAddr}`) }
    : {}
  return { slotNum, bidderAddr, bidValue, ...withdrawAddr }
}
