import {
  type AuctionVariables,
  type Bid,
  type BidView,
  type Coordinator,
  reachesMinimum
} from "../../../core/domain/mod.ts"
import type { EthereumAddress } from "../../../core/encoding/mod.ts"
import type { ListRows } from "../../../core/contract/mod.ts"
import { FilterIndex, Table } from "../filter_index/mod.ts"
import { frozenCopy } from "./_frozen.ts"
import type { LedgerLists } from "./ledger_image.ts"
import {
  type BidRow,
  type CoordinatorRow,
  indexKeyNumber,
  indexKeysOf,
  lookupNumber
} from "./list_index_keys.ts"

type SlotRow = ListRows["slots"]

const registrationIndexKey = lookupNumber("coordinators")
const slotIndexKey = indexKeyNumber("bids", "slotNum")
const bidderIndexKey = indexKeyNumber("bids", "bidderAddr")
const bestBidderIndexKey = indexKeyNumber("slots", "bestBidder")

/**
 * Registrations, bids, and the best bid of each slot. A bid is indexed by the forger of its
 * bidder's latest registration, so that a query for a forger reads one list, however many bidders
 * the forger has. A new registration of a bidder, and its rollback, reindexes all bids of the
 * bidder: one pass over these and over the lists of the two forgers.
 */
export class Auction {
  readonly coordinators = new Table<CoordinatorRow>(indexKeysOf("coordinators", [
    { valueOf: ({ coordinator }: CoordinatorRow) => coordinator.bidderAddr, isMutable: false }
  ]))
  readonly bids = new Table<BidRow>(indexKeysOf("bids"))
  /** The slots with a bid, indexed by their best bid. A position is a slot number. */
  readonly slots = new FilterIndex<SlotRow>(
    indexKeysOf("slots"),
    (slotNum) => this.slotRow(slotNum)!
  )
  private readonly applicableTo: (slotNum: number) => AuctionVariables

  /** @param applicableTo Returns the variables whose default bids apply to a slot. */
  constructor(applicableTo: (slotNum: number) => AuctionVariables) {
    this.applicableTo = applicableTo
  }

  /** Returns the latest registration of a bidder. */
  registration(bidder: EthereumAddress): Coordinator | undefined {
    const position = this.latestPosition(bidder)
    return position === undefined ? undefined : this.coordinators.rows[position]!.coordinator
  }

  /** Returns the last bid of a slot, which is the highest. */
  bestBid(slotNum: number): BidView | undefined {
    const row = this.bestRow(slotNum)
    return row && Object.freeze({ bid: row.bid, coordinator: row.coordinator })
  }

  register(coordinator: Coordinator): void {
    this.setLatest(coordinator.bidderAddr, false)
    this.coordinators.append(registrationRow(Object.freeze(coordinator)))
    this.reindexBidder(coordinator.bidderAddr)
  }

  /** Adds a bid of a registered bidder. */
  bid(bid: Bid): void {
    this.changeSlots(
      [bid.slotNum],
      () => this.bids.append(bidRow(Object.freeze(bid), this.registration(bid.bidderAddr)!))
    )
  }

  /** Removes the bids from `length` on. */
  truncateBids(length: number): void {
    while (this.bids.length > length) {
      this.changeSlots([this.bids.rows.at(-1)!.bid.slotNum], () => this.bids.removeLast())
    }
  }

  /**
   * Runs a change of the default bids of the slots from `firstSlot` on, and reindexes those of them
   * that have a bid. Unless `firstSlot` is Infinity, it passes over all slots with a bid.
   */
  changeDefaultBids(firstSlot: number, change: () => void): void {
    const withBid = firstSlot === Infinity
      ? []
      : [...this.bids.index.valuesOf(slotIndexKey)].map(Number)
    const slots = withBid.filter((slotNum) => slotNum >= firstSlot).sort((a, b) => a - b)
    this.changeSlots(slots, change)
  }

  /**
   * Removes the registrations from `length` on. A bidder without an earlier registration must have
   * no bids left.
   */
  truncateCoordinators(length: number): void {
    while (this.coordinators.length > length) {
      const { bidderAddr } = this.coordinators.removeLast().coordinator
      this.setLatest(bidderAddr, true)
      this.reindexBidder(bidderAddr)
    }
  }

  lists() {
    return {
      coordinators: this.coordinators.rows.map(({ coordinator }) => coordinator),
      bids: this.bids.rows.map(({ bid }) => bid)
    }
  }

  restore({ bids, coordinators }: LedgerLists): void {
    const latest = new Map(coordinators.map(({ bidderAddr, itemId }) => [bidderAddr, itemId]))
    this.coordinators.restore(
      coordinators.map((coordinator) =>
        registrationRow(
          frozenCopy(coordinator),
          latest.get(coordinator.bidderAddr) === coordinator.itemId
        )
      )
    )
    this.bids.restore(
      bids.map((bid) => bidRow(frozenCopy(bid), this.registration(bid.bidderAddr)!))
    )
    const slots = [...new Set(bids.map((bid) => bid.slotNum))].sort((a, b) => a - b)
    this.slots.reindex(
      slots.map((slotNum) => ({ position: slotNum, before: null, after: this.slotRow(slotNum) }))
    )
  }

  private latestPosition(bidder: EthereumAddress): number | undefined {
    return this.coordinators.index.positionsOf(registrationIndexKey, bidder).at(-1)
  }

  /** Sets whether the last stored registration of a bidder, if any, is its latest one. */
  private setLatest(bidder: EthereumAddress, isLatest: boolean): void {
    const position = this.latestPosition(bidder)
    if (position === undefined) return
    const { coordinator } = this.coordinators.rows[position]!
    this.coordinators.replace(position, registrationRow(coordinator, isLatest))
  }

  private bestRow(slotNum: number): BidRow | undefined {
    const position = this.bids.index.positionsOf(slotIndexKey, slotNum).at(-1)
    return position === undefined ? undefined : this.bids.rows[position]
  }

  /** Returns a slot as it is if its auction is closed; a query ends with the last such slot. */
  private slotRow(slotNum: number): SlotRow | null {
    const bestBid = this.bestRow(slotNum)
    return bestBid === undefined ? null : {
      slotNum,
      bestBid,
      winner: reachesMinimum(bestBid.bid, this.applicableTo(slotNum)) ? bestBid.coordinator : null,
      closedAuction: true
    }
  }

  /** Indexes the bids of a bidder, and the slots with a best bid of it, by its latest registration. */
  private reindexBidder(bidder: EthereumAddress): void {
    const positions = this.bids.index.positionsOf(bidderIndexKey, bidder)
    if (positions.length === 0) return
    const registration = this.registration(bidder)!
    const heldSlots = this.slots.positionsOf(bestBidderIndexKey, bidder)
    this.changeSlots(heldSlots, () =>
      this.bids.replaceAll(
        positions,
        positions.map((position) => bidRow(this.bids.rows[position]!.bid, registration))
      ))
  }

  /** Runs a change of ascending slots, and moves them in the index. */
  private changeSlots(slots: ReadonlyArray<number>, change: () => void): void {
    const before = slots.map((slotNum) => this.slotRow(slotNum))
    change()
    this.slots.reindex(slots.map((position, i) => ({
      position,
      before: before[i] ?? null,
      after: this.slotRow(position)
    })))
  }
}

const registrationRow = (coordinator: Coordinator, isLatest = true): CoordinatorRow => ({
  itemId: coordinator.itemId,
  coordinator,
  isLatest
})

const bidRow = (bid: Bid, coordinator: Coordinator): BidRow => ({
  itemId: bid.itemId,
  bid,
  coordinator
})
