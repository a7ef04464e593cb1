import type { BidView, SlotView } from "../../domain/mod.ts"
import {
  bigInt,
  boolean,
  dateTime,
  ethBlockNum,
  ethereumAddress,
  itemId,
  slotNum,
  url
} from "../scalars/mod.ts"
import { documented, named, nullable, object, shape } from "../objects/mod.ts"

export const coordinator = object("Coordinator", "Registration of a coordinator", {
  itemId,
  forgerAddr: ethereumAddress,
  bidderAddr: ethereumAddress,
  url: named("URL", url),
  ethereumBlockNum: named("ethereumBlock", ethBlockNum, "Block of the registration")
})

export const bid = object("Bid", "Bid for the right to forge in a slot", {
  itemId,
  bidderAddr: ethereumAddress,
  forgerAddr: ethereumAddress,
  withdrawAddr: documented(ethereumAddress, "Address that can claim a lost bid"),
  slotNum,
  url: named("URL", url),
  bidValue: documented(bigInt, "Units of the governance token"),
  ethereumBlockNum: ethBlockNum,
  timestampMs: named("timestamp", dateTime)
})
const bidView = ({ bid, coordinator: { forgerAddr, url } }: BidView) => ({
  ...bid,
  forgerAddr,
  url
})
export const bidShape = shape(bid, bidView)

/** The last two fields are those of `earlier`. */
export const slot = object("Slot", "Period of blocks in which one coordinator forges", {
  itemId: documented(itemId, "Equals slotNum"),
  slotNum,
  firstBlock: ethBlockNum,
  lastBlock: ethBlockNum,
  openAuction: documented(boolean, "Whether bids are accepted"),
  bestBid: documented(nullable(bid), "Highest bid so far, also one below the minimum"),
  closedAuction: documented(boolean, "Whether the auction is closed"),
  winner: documented(
    nullable(coordinator),
    "Winner of the closed auction; null before, and if no bid won"
  )
})
export const slotShape = shape(slot, ({ bestBid, ...slot }: SlotView) => ({
  itemId: slot.slotNum,
  ...slot,
  bestBid: bestBid && bidView(bestBid)
}))
