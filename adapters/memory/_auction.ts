import type { Bid, BidView, Coordinator, New } from "../../core/domain/mod.ts"
import type { EthereumAddress } from "../../core/encoding/mod.ts"
import { facetPlace, facetsOf, lookupPlace } from "./_list_facets.ts"
import { PostingTree } from "./_posting_tree.ts"
import { Table } from "./_table.ts"

const bidderPlace = lookupPlace("coordinators")
const slotPlace = facetPlace("bids", "slotNum")
const nobody: ReadonlySet<EthereumAddress> = new Set()

/** Registrations, bids, and who holds the best bid of each slot. */
export class Auction {
  readonly coordinators = new Table(facetsOf("coordinators", [
    { kind: "key", keys: [(coordinator: Coordinator) => coordinator.bidderAddr], changes: false }
  ]))
  readonly bids = new Table(facetsOf("bids"))
  /** Slots with a bid, by what is asked of their best one. A position is a slot number. */
  readonly slots = new PostingTree<Bid>(facetsOf("slots"), (slotNum) => this.bestBid(slotNum)!)
  /** Bidders by the forger of their latest registration. */
  private readonly bidders = new Map<EthereumAddress, Set<EthereumAddress>>()

  /** The latest registration of a bidder. */
  registration(bidder: EthereumAddress): Coordinator | undefined {
    const position = this.coordinators.index.positions(bidderPlace, bidder).at(-1)
    return position === undefined ? undefined : this.coordinators.rows[position]
  }

  biddersOf(forger: EthereumAddress): ReadonlySet<EthereumAddress> {
    return this.bidders.get(forger) ?? nobody
  }

  /** The last bid of a slot, which is its highest. */
  bestBid(slotNum: number): Bid | undefined {
    const position = this.bids.index.positions(slotPlace, slotNum).at(-1)
    return position === undefined ? undefined : this.bids.rows[position]
  }

  /** Only registered bidders bid. */
  view(bid: Bid): BidView {
    return { bid, coordinator: this.registration(bid.bidderAddr)! }
  }

  register(coordinator: New<Coordinator>): void {
    const before = this.registration(coordinator.bidderAddr)
    this.coordinators.append({ itemId: this.coordinators.itemIds.take(), ...coordinator })
    this.moveBidder(coordinator.bidderAddr, before?.forgerAddr, coordinator.forgerAddr)
  }

  bid(bid: New<Bid>): void {
    const before = this.bestBid(bid.slotNum) ?? null
    const row: Bid = { itemId: this.bids.itemIds.take(), ...bid }
    this.bids.append(row)
    this.slots.change(bid.slotNum, before, row)
  }

  truncateBids(length: number): void {
    while (this.bids.length > length) {
      const bid = this.bids.removeLast()
      this.slots.change(bid.slotNum, bid, this.bestBid(bid.slotNum) ?? null)
    }
  }

  truncateCoordinators(length: number): void {
    while (this.coordinators.length > length) {
      const { bidderAddr, forgerAddr } = this.coordinators.removeLast()
      this.moveBidder(bidderAddr, forgerAddr, this.registration(bidderAddr)?.forgerAddr)
    }
  }

  private moveBidder(bidder: EthereumAddress, from: EthereumAddress | undefined, to: EthereumAddress | undefined): void {
    if (from === to) return
    if (from !== undefined) {
      const left = this.bidders.get(from)!
      left.delete(bidder)
      if (left.size === 0) this.bidders.delete(from)
    }
    if (to !== undefined) {
      const entered = this.bidders.get(to)
      if (entered === undefined) this.bidders.set(to, new Set([bidder]))
      else entered.add(bidder)
    }
  }
}
