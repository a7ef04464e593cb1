import type { AuctionVariables, GenesisFeed, NetworkVariables } from "../../../core/domain/mod.ts"
import { ApplicableSets } from "./_applicable_sets.ts"
import { frozenCopy } from "../_frozen_copy.ts"

/** How many sets of variables of each kind there were. */
export interface ParameterCounts {
  readonly rollup: number
  readonly auction: number
  readonly withdrawalDelayer: number
}

/** All sets of variables that were ever in force, of each kind the newest last. */
export class Parameters {
  private readonly rollup: Array<NetworkVariables["rollup"]>
  private readonly auction: Array<NetworkVariables["auction"]>
  private readonly withdrawalDelayer: Array<NetworkVariables["withdrawalDelayer"]>
  private readonly applicable: ApplicableSets

  constructor({ block, variables }: GenesisFeed) {
    const ethereumBlockNum = block.number
    this.rollup = [frozenCopy({ ethereumBlockNum, ...variables.rollup })]
    this.auction = [frozenCopy({ ethereumBlockNum, ...variables.auction })]
    this.withdrawalDelayer = [frozenCopy({ ethereumBlockNum, ...variables.withdrawalDelayer })]
    this.applicable = new ApplicableSets(this.auction[0]!)
  }

  get current(): NetworkVariables {
    return {
      rollup: this.rollup.at(-1)!,
      auction: this.auction.at(-1)!,
      withdrawalDelayer: this.withdrawalDelayer.at(-1)!
    }
  }

  *auctionNewestFirst(): Generator<NetworkVariables["auction"], void> {
    for (let i = this.auction.length - 1; i >= 0; i--) yield this.auction[i]!
  }

  /** The variables whose default bids apply to a slot. */
  auctionOf(slotNum: number): AuctionVariables {
    return this.applicable.at(slotNum)
  }

  get mark(): ParameterCounts {
    return {
      rollup: this.rollup.length,
      auction: this.auction.length,
      withdrawalDelayer: this.withdrawalDelayer.length
    }
  }

  set(variables: Partial<NetworkVariables>): void {
    if (variables.rollup !== undefined) this.rollup.push(frozenCopy(variables.rollup))
    if (variables.auction !== undefined) {
      const set = frozenCopy(variables.auction)
      this.auction.push(set)
      this.applicable.push(set)
    }
    if (variables.withdrawalDelayer !== undefined) {
      this.withdrawalDelayer.push(frozenCopy(variables.withdrawalDelayer))
    }
  }

  truncate(mark: ParameterCounts): void {
    this.rollup.length = mark.rollup
    while (this.auction.length > mark.auction) {
      this.auction.pop()
      this.applicable.pop()
    }
    this.withdrawalDelayer.length = mark.withdrawalDelayer
  }
}
