import type { GenesisFeed, NetworkVariables } from "../../core/domain/mod.ts"

/** How many sets of variables of each kind there were. */
export interface ParametersMark {
  readonly rollup: number
  readonly auction: number
  readonly withdrawalDelayer: number
}

/** All sets of variables that were ever in force, of each kind the newest last. */
export class Parameters {
  private readonly rollup: Array<NetworkVariables["rollup"]>
  private readonly auction: Array<NetworkVariables["auction"]>
  private readonly withdrawalDelayer: Array<NetworkVariables["withdrawalDelayer"]>

  constructor({ block, variables }: GenesisFeed) {
    const ethereumBlockNum = block.number
    this.rollup = [{ ethereumBlockNum, ...variables.rollup }]
    this.auction = [{ ethereumBlockNum, ...variables.auction }]
    this.withdrawalDelayer = [{ ethereumBlockNum, ...variables.withdrawalDelayer }]
  }

  get current(): NetworkVariables {
    return { rollup: this.rollup.at(-1)!, auction: this.auction.at(-1)!, withdrawalDelayer: this.withdrawalDelayer.at(-1)! }
  }

  *auctionNewestFirst(): Generator<NetworkVariables["auction"], void> {
    for (let i = this.auction.length - 1; i >= 0; i--) yield this.auction[i]!
  }

  get mark(): ParametersMark {
    return { rollup: this.rollup.length, auction: this.auction.length, withdrawalDelayer: this.withdrawalDelayer.length }
  }

  set(variables: Partial<NetworkVariables>): void {
    if (variables.rollup !== undefined) this.rollup.push(variables.rollup)
    if (variables.auction !== undefined) this.auction.push(variables.auction)
    if (variables.withdrawalDelayer !== undefined) this.withdrawalDelayer.push(variables.withdrawalDelayer)
  }

  truncate(mark: ParametersMark): void {
    this.rollup.length = mark.rollup
    this.auction.length = mark.auction
    this.withdrawalDelayer.length = mark.withdrawalDelayer
  }
}
