import {
  type AuctionVariables,
  type GenesisFeed,
  genesisVariables,
  type NetworkVariables
} from "../../../core/domain/mod.ts"
import { firstNot } from "../_binary_search.ts"
import { frozenCopy } from "./_frozen.ts"
import type { LedgerLists, ParameterCounts } from "./ledger_image.ts"

/** All variable sets of each contract since the genesis, the newest last. */
export class Parameters {
  private readonly rollup: Array<NetworkVariables["rollup"]>
  private readonly auction: Array<NetworkVariables["auction"]>
  private readonly withdrawalDelayer: Array<NetworkVariables["withdrawalDelayer"]>

  constructor(genesis: GenesisFeed) {
    const { auction, rollup, withdrawalDelayer } = genesisVariables(genesis)
    this.rollup = [frozenCopy(rollup)]
    this.auction = [frozenCopy(auction)]
    this.withdrawalDelayer = [frozenCopy(withdrawalDelayer)]
  }

  get current(): NetworkVariables {
    return {
      rollup: this.rollup.at(-1)!,
      auction: this.auction.at(-1)!,
      withdrawalDelayer: this.withdrawalDelayer.at(-1)!
    }
  }

  /**
   * Returns the variables whose default bids apply to a slot: the sets ascend by the first slot to
   * which these apply.
   */
  auctionOf(slotNum: number): AuctionVariables {
    const after = firstNot(
      0,
      this.auction.length,
      (index) => this.auction[index]!.defaultSlotSetBidFirstSlot <= slotNum
    )
    return this.auction[after - 1]!
  }

  get counts(): ParameterCounts {
    return {
      rollup: this.rollup.length,
      auction: this.auction.length,
      withdrawalDelayer: this.withdrawalDelayer.length
    }
  }

  /** Adds the sets that a block changed. */
  set(variables: Partial<NetworkVariables>): void {
    if (variables.rollup !== undefined) this.rollup.push(frozenCopy(variables.rollup))
    if (variables.auction !== undefined) this.auction.push(frozenCopy(variables.auction))
    if (variables.withdrawalDelayer !== undefined) {
      this.withdrawalDelayer.push(frozenCopy(variables.withdrawalDelayer))
    }
  }

  /** Returns the first slot whose default bids the sets after `counts` set; Infinity if none. */
  firstSlotSince({ auction }: ParameterCounts): number {
    return this.auction[auction]?.defaultSlotSetBidFirstSlot ?? Infinity
  }

  /** Removes the newest sets until `counts` are left. */
  truncate(counts: ParameterCounts): void {
    this.rollup.length = counts.rollup
    this.auction.length = counts.auction
    this.withdrawalDelayer.length = counts.withdrawalDelayer
  }

  lists() {
    return {
      rollupVariables: [...this.rollup],
      auctionVariables: [...this.auction],
      withdrawalDelayerVariables: [...this.withdrawalDelayer]
    }
  }

  /** Adds the sets of an image behind those of the genesis. */
  restore({ auctionVariables, rollupVariables, withdrawalDelayerVariables }: LedgerLists): void {
    for (const rollup of rollupVariables.slice(1)) this.set({ rollup })
    for (const auction of auctionVariables.slice(1)) this.set({ auction })
    for (const withdrawalDelayer of withdrawalDelayerVariables.slice(1)) {
      this.set({ withdrawalDelayer })
    }
  }
}
