import type { BidView, Coordinator, SlotView } from "../../domain/mod.ts"
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
import { field, reference, shape, nullable } from "../wire_type.ts"

export const coordinator = shape<Coordinator>("Coordinator", "Registration of a coordinator", {
  itemId: field(itemId, (c) => c.itemId),
  forgerAddr: field(ethereumAddress, (c) => c.forgerAddr),
  bidderAddr: field(ethereumAddress, (c) => c.bidderAddr),
  URL: field(url, (c) => c.url),
  ethereumBlock: field(ethBlockNum, (c) => c.ethereumBlockNum, "Block of the registration")
})

export const bid = shape<BidView>("Bid", "Bid for the right to forge in a slot", {
  itemId: field(itemId, (v) => v.bid.itemId),
  bidderAddr: field(ethereumAddress, (v) => v.bid.bidderAddr),
  forgerAddr: field(ethereumAddress, (v) => v.coordinator.forgerAddr),
  withdrawAddr: field(
    ethereumAddress,
    (v) => v.bid.withdrawAddr,
    "Address that can claim a lost bid"
  ),
  slotNum: field(slotNum, (v) => v.bid.slotNum),
  URL: field(url, (v) => v.coordinator.url),
  bidValue: field(bigInt, (v) => v.bid.bidValue, "Units of the governance token"),
  ethereumBlockNum: field(ethBlockNum, (v) => v.bid.ethereumBlockNum),
  timestamp: field(dateTime, (v) => v.bid.timestampMs)
})

export const slot = shape<SlotView>("Slot", "Period of blocks in which one coordinator forges", {
  itemId: field(itemId, (s) => s.slotNum, "Equals slotNum"),
  slotNum: field(slotNum, (s) => s.slotNum),
  firstBlock: field(ethBlockNum, (s) => s.firstBlock),
  lastBlock: field(ethBlockNum, (s) => s.lastBlock),
  openAuction: field(boolean, (s) => s.openAuction, "Whether bids are accepted"),
  bestBid: field(
    nullable(reference(bid)),
    (s) => s.bestBid,
    "Highest bid so far, also one below the minimum"
  )
})
