import {
  applicableVariables,
  type BidFeed,
  reachesMinimum,
  slotOfBlock
} from "../../../core/domain/mod.ts"
import type { EthereumAddress } from "../../../core/encoding/mod.ts"
import type { BlockDraft, Context, World } from "../world/mod.ts"

/** Registrations and bids of a block; coordinator 0 is the boot coordinator, who does not bid. */
export function addAuctionEvents(context: Context, world: World, draft: BlockDraft): void {
  register(context, world, draft)
  const bids = placeBids(context, world)
  if (bids.length > 0) draft.bids = bids
}

/** Who may forge now: the winner of the slot, otherwise the boot coordinator; `number` counts coordinators. */
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

/** How far ahead of the closed slots coordinators think. */
const SLOTS_AHEAD = 6

/** Everybody registers soon; later one of them moves to another forger address and URL. */
function register(
  { schedule, wallets, random, settings }: Context,
  world: World,
  draft: BlockDraft
): void {
  const known = world.registrations.size
  const again = known === settings.coordinators
  if (settings.coordinators === 0) return
  if (again ? !schedule.takeDue("registration") : !random.chance(0.6)) return
  const number = again ? random.integer(1, known) : known + 1
  const bidderAddr = wallets.coordinator(number).address
  const house = again ? random.integer(2, 99) : 1
  const registration = {
    bidderAddr,
    forgerAddr: wallets.contractAddress(`forger/${number}/${house}`),
    url: `https://node${house > 1 ? house : ""}.coordinator-${number}.example`
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
    // every fifth slot nobody wants
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
