import type { GenesisFeed } from "./genesis_feed.ts"
import type { AuctionVariables, NetworkVariables } from "./parameters.ts"

/**
 * Returns the variables after the genesis block.
 *
 * @example
 * ```ts
 * import { genesisVariables } from "rollup-node-api"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { auction, rollup } = genesisVariables(simulate({ seed: 1 }).genesis)
 * console.log(auction.defaultSlotSetBidFirstSlot, rollup.verifiers.length) // => 0 2
 * ```
 */
export const genesisVariables = (
  { block, constants, variables }: GenesisFeed
): NetworkVariables => {
  const ethereumBlockNum = block.number
  return {
    rollup: { ...variables.rollup, ethereumBlockNum, verifiers: constants.rollup.verifiers },
    auction: { ...variables.auction, ethereumBlockNum, defaultSlotSetBidFirstSlot: 0 },
    withdrawalDelayer: { ...variables.withdrawalDelayer, ethereumBlockNum }
  }
}

/**
 * Returns changed auction variables (PROTOCOL.md "Bids"). A change of the default bids holds for the
 * slots after `defaultSlotSetBidSlotNum` that no earlier change found closed: a slot keeps the bids
 * from before the first change that found it closed.
 *
 * @example
 * ```ts
 * import { changedAuctionVariables, genesisVariables } from "rollup-node-api"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { auction } = genesisVariables(simulate({ seed: 1 }).genesis)
 * const lowered = { ...auction, defaultSlotSetBid: [1n, 1n, 1n, 1n, 1n, 1n] }
 * const change = { ...lowered, defaultSlotSetBidSlotNum: 7, ethereumBlockNum: 20n }
 * console.log(changedAuctionVariables(auction, change).defaultSlotSetBidFirstSlot) // => 8
 * ```
 */
export const changedAuctionVariables = (
  former: AuctionVariables,
  change: Omit<AuctionVariables, "defaultSlotSetBidFirstSlot">
): AuctionVariables => {
  const isChanged = change.defaultSlotSetBidSlotNum !== former.defaultSlotSetBidSlotNum ||
    change.defaultSlotSetBid.some((bid, set) => bid !== former.defaultSlotSetBid[set])
  return {
    ...change,
    defaultSlotSetBidFirstSlot: isChanged
      ? Math.max(former.defaultSlotSetBidFirstSlot, change.defaultSlotSetBidSlotNum + 1)
      : former.defaultSlotSetBidFirstSlot
  }
}
