import type { AuctionVariables } from "../../../core/domain/mod.ts"
import { firstNot } from "../_binary_search.ts"

/** What a push overwrote. */
interface Overwritten {
  readonly place: number
  readonly set: AuctionVariables | undefined
  readonly length: number
}

/**
 * The auction variables by the slots to which their default bids apply: those of the newest set whose first slot is not after
 * the slot, otherwise those of the oldest set. An older set whose first slot is not before that of a newer one never applies,
 * so the others ascend by their first slot. Adding, taking back and looking up are one binary search each.
 */
export class ApplicableSets {
  private readonly oldest: AuctionVariables
  /** Only the first `length` count: what lies behind them is what the pushes will put back. */
  private readonly ascending: Array<AuctionVariables>
  private length = 1
  private readonly overwritten: Array<Overwritten> = []

  constructor(oldest: AuctionVariables) {
    this.oldest = oldest
    this.ascending = [oldest]
  }

  at(slotNum: number): AuctionVariables {
    const after = firstNot(
      0,
      this.length,
      (place) => this.ascending[place]!.defaultSlotSetBidSlotNum <= slotNum
    )
    return after === 0 ? this.oldest : this.ascending[after - 1]!
  }

  push(set: AuctionVariables): void {
    const place = firstNot(
      0,
      this.length,
      (each) => this.ascending[each]!.defaultSlotSetBidSlotNum < set.defaultSlotSetBidSlotNum
    )
    this.overwritten.push({ place, set: this.ascending[place], length: this.length })
    this.ascending[place] = set
    this.length = place + 1
  }

  /** Takes the newest set back. */
  pop(): void {
    const { place, set, length } = this.overwritten.pop()!
    if (set === undefined) this.ascending.length = place
    else this.ascending[place] = set
    this.length = length
  }
}
