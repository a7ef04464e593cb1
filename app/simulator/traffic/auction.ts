import {
  applicableVariables,
  type BidFeed,
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

/** Returns the coordinator that may forge now: the winner of the slot, or the boot coordinator. */
export function forgerOf(
  { constants, wallets, settings }: Context,
  world: World
): { readonly number: number; readonly address: EthereumAddress } {
  const slotNum = slotOfBlock(constants.auction, world.block.number)
  const bid = world.bids.get(slotNum)
  const boot = { number: 0, address: world.variables.auction.bootCoordinator }
  if (bid === undefined) return boot
  const applicable = applicableVariables(world.auctionVariables, slotNum)
  const registration = world.registrations.get(bid.bidder)
  if (applicable === undefined || registration === undefined) return boot
  if (!reachesMinimum({ slotNum, bidValue: bid.value }, applicable)) return boot
  for (let number = 1; number <= settings.coordinators; number++) {
    if (wallets.coordinator(number).address === bid.bidder) {
      return { number, address: registration.forgerAddr }
    }
  }
  return boot
}

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
    url: settings.coordinatorUrl ??
      `https://node${node > 1 ? node : ""}.coordinator-${number}.example`
  }
  world.registrations.set(bidderAddr, registration)
  draft.coordinators = [registration]
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
    world.bids.set(slotNum, { bidder: bidderAddr, value: bid.bidValue })
    bids.push(bid)
  }
  return bids
}

function bidOf(
  { schedule, wallets, random }: Context,
  world: World,
  slotNum: number,
  bidderAddr: EthereumAddress
): BidFeed {
  const { defaultSlotSetBid, outbidding } = world.variables.auction
  const best = world.bids.get(slotNum)?.value
  const minimum = defaultSlotSetBid[slotNum % 6] ?? 0n
  const bidValue = best === undefined
    ? schedule.takeDue("lowBid") ? minimum / 3n : minimum * BigInt(random.integer(100, 140)) / 100n
    : best + best * BigInt(outbidding + random.integer(1, 900)) / 10_000n
  return random.chance(0.2)
    ? {
      slotNum,
      bidderAddr,
      bidValue,
      withdrawAddr: wallets.contractAddress(`withdraw/${bidderAddr}`)
    }
    : { slotNum, bidderAddr, bidValue }
}
