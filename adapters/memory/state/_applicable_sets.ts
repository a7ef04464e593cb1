import type { AuctionVariables } from "../../../core/domain/mod.ts"
import { firstNot } from "../_binary_search.ts"

/** The element and the length that a push replaced. */
interface Replaced {
  readonly index: number
  readonly set: AuctionVariables | undefined
  readonly length: number
}

/**
 * The auction variables by the slots to which their default bids apply. To a slot applies the
 * newest set whose first slot is at most that slot, or the oldest set if there is none. An older
 * set whose first slot is at or after that of a newer one never applies, so the other sets ascend
 * by their first slot. Each operation is one binary search.
 */
export class ApplicableSets {
  private readonly oldest: AuctionVariables
  /** The first `length` elements apply. `pop` restores the elements behind them. */
  private readonly ascending: Array<AuctionVariables>
  private length = 1
  private readonly replaced: Array<Replaced> = []

  constructor(oldest: AuctionVariables) {
    this.oldest = oldest
    this.ascending = [oldest]
  }

  /** Returns the set that applies to a slot. */
  setOf(slotNum: number): AuctionVariables {
    const end = firstNot(
      0,
      this.length,
      (index) => this.ascending[index]!.defaultSlotSetBidSlotNum <= slotNum
    )
    return end === 0 ? this.oldest : this.ascending[end - 1]!
  }

  /** Adds the newest set. */
  push(set: AuctionVariables): void {
    const index = firstNot(
      0,
      this.length,
      (each) => this.ascending[each]!.defaultSlotSetBidSlotNum < set.defaultSlotSetBidSlotNum
    )
    this.replaced.push({ index, set: this.ascending[index], length: this.length })
    this.ascending[index] = set
    this.length = index + 1
  }

  /** Undoes the last push. */
  pop(): void {
    const { index, set, length } = this.replaced.pop()!
    if (set === undefined) this.ascending.length = index
    else this.ascending[index] = set
    this.length = length
  }
}
