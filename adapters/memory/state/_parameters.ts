import type { AuctionVariables, NetworkVariables } from "../../../core/domain/mod.ts"
import { firstNot } from "../_binary_search.ts"
import { frozen, frozenCopy } from "./_frozen.ts"

/** The variables of the contracts since the genesis, after each change. */
export class Parameters {
  private sets: Array<NetworkVariables>

  constructor(first: NetworkVariables) {
    this.sets = [frozenCopy(first)]
  }

  get current(): NetworkVariables {
    return this.sets.at(-1)!
  }

  /** Number of sets. */
  get length(): number {
    return this.sets.length
  }

  /**
   * Returns the variables whose default bids apply to a slot: the sets ascend by the first slot to
   * which these apply.
   */
  auctionOf(slotNum: number): AuctionVariables {
    const after = firstNot(
      0,
      this.sets.length,
      (index) => this.sets[index]!.auction.defaultSlotSetBidFirstSlot <= slotNum
    )
    return this.sets[after - 1]!.auction
  }

  /** Adds a set with the variables that a block changed, if there are any. */
  set(changed: Partial<NetworkVariables>): void {
    if (Object.keys(changed).length === 0) return
    this.sets.push(Object.freeze({ ...this.current, ...frozenCopy(changed) }))
  }

  /** Returns the first slot whose default bids change without the sets from `length` on; or Infinity. */
  firstSlotSince(length: number): number {
    const { auction } = this.sets[length - 1]!
    const changed = this.sets.slice(length).find((set) => set.auction !== auction)
    return changed?.auction.defaultSlotSetBidFirstSlot ?? Infinity
  }

  /** Removes the newest sets until `length` are left. */
  truncate(length: number): void {
    this.sets.length = length
  }

  lists() {
    return { variables: [...this.sets] }
  }

  restore(sets: ReadonlyArray<NetworkVariables>): void {
    this.sets = sets.map(frozen)
  }
}
