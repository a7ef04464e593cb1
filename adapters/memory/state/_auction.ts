import type { Bid, BidView, Coordinator, New } from "../../../core/domain/mod.ts"
import type { EthereumAddress } from "../../../core/encoding/mod.ts"
import type { BidRow } from "./index_specs.ts"
import { facetNumber, facetsOf, lookupNumber } from "./list_facets.ts"
import { FilterIndex } from "../filter_index/mod.ts"
import { Table } from "../filter_index/mod.ts"

const registrationFacet = lookupNumber("coordinators")
const slotFacet = facetNumber("bids", "slotNum")
const bidderFacet = facetNumber("bids", "bidderAddr")
const wonByBidderFacet = facetNumber("slots", "wonByBidder")

/**
 * Registrations, bids, and who holds the best bid of each slot. A bid lies under the forger of its bidder's latest
 * registration, so that whoever asks for a forger reads one list however many bidders it has. A bidder who registers again,
 * and a rollback of that, moves all of the bidder's bids: a pass over them and over the lists of the two forgers.
 */
export class Auction {
  readonly coordinators = new Table(facetsOf("coordinators", [
    { kind: "key", keys: [(coordinator: Coordinator) => coordinator.bidderAddr], changes: false }
  ]))
  readonly bids = new Table(facetsOf("bids"))
  /** Slots with a bid, by what is asked of their best one. A position is a slot number. */
  readonly slots = new FilterIndex<BidRow>(facetsOf("slots"), (slotNum) => this.bestRow(slotNum)!)

  /** The latest registration of a bidder. */
  registration(bidder: EthereumAddress): Coordinator | undefined {
    const position = this.coordinators.index.positions(registrationFacet, bidder).at(-1)
    return position === undefined ? undefined : this.coordinators.rows[position]
  }

  /** The last bid of a slot, which is its highest. */
  bestBid(slotNum: number): BidView | undefined {
    return this.bestRow(slotNum)?.view
  }

  register(coordinator: New<Coordinator>): void {
    this.coordinators.append(
      Object.freeze({ itemId: this.coordinators.itemIds.take(), ...coordinator })
    )
    this.refile(coordinator.bidderAddr)
  }

  /** Only registered bidders bid. */
  bid(bid: New<Bid>): void {
    const before = this.bestRow(bid.slotNum) ?? null
    const itemId = this.bids.itemIds.take()
    const row = bidRow(Object.freeze({ itemId, ...bid }), this.registration(bid.bidderAddr)!)
    this.bids.append(row)
    this.slots.change(bid.slotNum, before, row)
  }

  truncateBids(length: number): void {
    while (this.bids.length > length) {
      const row = this.bids.removeLast()
      const { slotNum } = row.view.bid
      this.slots.change(slotNum, row, this.bestRow(slotNum) ?? null)
    }
  }

  /** The bids of bidders who were not registered before are gone already. */
  truncateCoordinators(length: number): void {
    while (this.coordinators.length > length) this.refile(this.coordinators.removeLast().bidderAddr)
  }

  private bestRow(slotNum: number): BidRow | undefined {
    const position = this.bids.index.positions(slotFacet, slotNum).at(-1)
    return position === undefined ? undefined : this.bids.rows[position]
  }

  /** Files the bids of a bidder, and the slots they win, under the latest registration. */
  private refile(bidder: EthereumAddress): void {
    const positions = this.bids.index.positions(bidderFacet, bidder)
    if (positions.length === 0) return
    const registration = this.registration(bidder)!
    const won = this.slots.positions(wonByBidderFacet, bidder)
    const bestBefore = won.map((slotNum) => this.bestRow(slotNum)!)
    this.bids.replaceAll(
      positions,
      positions.map((position) => bidRow(this.bids.rows[position]!.view.bid, registration))
    )
    this.slots.changeAll(won, bestBefore, won.map((slotNum) => this.bestRow(slotNum)!))
  }
}

const bidRow = (bid: Bid, coordinator: Coordinator): BidRow => ({
  itemId: bid.itemId,
  view: Object.freeze({ bid, coordinator })
})
