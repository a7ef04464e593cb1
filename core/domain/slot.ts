import { type EthereumAddress, ZERO_ADDRESS } from "../encoding/mod.ts"
import type { AuctionConstants, AuctionVariables } from "./parameters.ts"

/** A registration of a coordinator. The latest one of a bidder is valid. */
export interface Coordinator {
  /** 0 for the boot coordinator, which is not registered. */
  readonly itemId: number
  readonly bidderAddr: EthereumAddress
  readonly forgerAddr: EthereumAddress
  readonly url: string
  readonly ethereumBlockNum: bigint
}

/** A bid of the slot auction. */
export interface Bid {
  readonly itemId: number
  readonly slotNum: number
  readonly bidderAddr: EthereumAddress
  /** Address that can claim a lost bid: the bidder's own address by default. */
  readonly withdrawAddr: EthereumAddress
  /** Units of the governance token. */
  readonly bidValue: bigint
  readonly ethereumBlockNum: bigint
  readonly timestampMs: number
}

/** A bid with the latest registration of its bidder. */
export interface BidView {
  readonly bid: Bid
  readonly coordinator: Coordinator
}

/** A slot of the auction (PROTOCOL.md "Slots"). Every number 0..2^32 − 1 is a slot. */
export interface SlotView {
  readonly slotNum: number
  readonly firstBlock: bigint
  readonly lastBlock: bigint
  /** True while bids are accepted. */
  readonly openAuction: boolean
  /** True if bids are no longer accepted. */
  readonly closedAuction: boolean
  /** The highest bid, even one below the minimum. */
  readonly bestBid: BidView | null
  /** Winner of the auction; null while it is not closed, or if no bid reached the minimum. */
  readonly winner: Coordinator | null
}

/** The greatest slot number, 2^32−1. */
export const slotNumMax = 4294967295

/** The state of the auctions at a block. */
export interface AuctionClock {
  readonly constants: Pick<AuctionConstants, "genesisBlockNum" | "blocksPerSlot">
  readonly variables: AuctionVariables
  /** Slot of the last block; 0 before the first slot. */
  readonly currentSlot: number
}

/**
 * Returns the slot of a block: the number of complete slots since the genesis block, 0 before it.
 *
 * @example
 * ```ts
 * import { firstBlockOfSlot, slotOfBlock } from "rollup-node-api"
 *
 * const auction = { genesisBlockNum: 1000n, blocksPerSlot: 40 }
 * console.log(slotOfBlock(auction, 1079n), slotOfBlock(auction, 5n)) // => 1 0
 * console.log(firstBlockOfSlot(auction, 2)) // => 1080n
 * ```
 */
export const slotOfBlock = (constants: AuctionClock["constants"], blockNum: bigint): number =>
  blockNum <= constants.genesisBlockNum
    ? 0
    : Number((blockNum - constants.genesisBlockNum) / BigInt(constants.blocksPerSlot))

/**
 * Returns the state of the auctions at the block `lastBlockNum`.
 *
 * @example
 * ```ts
 * import { auctionClock, genesisVariables } from "rollup-node-api"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, genesis: { constants } } = simulate({ seed: 1 })
 * const { auction } = genesisVariables(genesis)
 * const { blocksPerSlot, genesisBlockNum } = constants.auction
 * const lastBlockNum = genesisBlockNum + 3n * BigInt(blocksPerSlot)
 * console.log(auctionClock(constants.auction, auction, lastBlockNum).currentSlot) // => 3
 * ```
 */
export const auctionClock = (
  constants: AuctionClock["constants"],
  variables: AuctionVariables,
  lastBlockNum: bigint
): AuctionClock => ({ constants, variables, currentSlot: slotOfBlock(constants, lastBlockNum) })

/**
 * Returns the number of the first Ethereum block of a slot.
 *
 * @example
 * ```ts
 * import { firstBlockOfSlot } from "rollup-node-api"
 *
 * console.log(firstBlockOfSlot({ genesisBlockNum: 1000n, blocksPerSlot: 40 }, 2)) // => 1080n
 * ```
 */
export const firstBlockOfSlot = (constants: AuctionClock["constants"], slotNum: number): bigint =>
  constants.genesisBlockNum + BigInt(slotNum) * BigInt(constants.blocksPerSlot)

/**
 * Returns the last slot that no longer accepts bids, at most the greatest slot number.
 *
 * @example
 * ```ts
 * import { auctionClock, genesisVariables, lastClosedSlot } from "rollup-node-api"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const auction = { ...genesisVariables(genesis).auction, closedAuctionSlots: 2 }
 * console.log(lastClosedSlot(auctionClock(genesis.constants.auction, auction, 0n))) // => 2
 * ```
 */
export const lastClosedSlot = (clock: AuctionClock): number =>
  Math.min(slotNumMax, clock.currentSlot + clock.variables.closedAuctionSlots)

/**
 * Returns the last slot that accepts bids, at most the greatest slot number.
 *
 * @example
 * ```ts
 * import { auctionClock, genesisVariables, lastOpenSlot } from "rollup-node-api"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const slots = { closedAuctionSlots: 2, openAuctionSlots: 4320 }
 * const auction = { ...genesisVariables(genesis).auction, ...slots }
 * console.log(lastOpenSlot(auctionClock(genesis.constants.auction, auction, 0n))) // => 4322
 * ```
 */
export const lastOpenSlot = (clock: AuctionClock): number =>
  Math.min(slotNumMax, lastClosedSlot(clock) + clock.variables.openAuctionSlots)

/**
 * Returns the coordinator that forges if no bid wins. It is not registered: its `itemId` is 0.
 *
 * @example
 * ```ts
 * import { bootCoordinator, genesisVariables } from "rollup-node-api"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { itemId, url } = bootCoordinator(genesisVariables(simulate({ seed: 1 }).genesis).auction)
 * console.log(itemId, url) // => 0 https://boot.example
 * ```
 */
export const bootCoordinator = (variables: AuctionVariables): Coordinator => ({
  itemId: 0,
  bidderAddr: ZERO_ADDRESS,
  forgerAddr: variables.bootCoordinator,
  url: variables.bootCoordinatorUrl,
  ethereumBlockNum: 0n
})

/**
 * Returns whether a bid reaches the minimum of its slot. `applicable` is the result of
 * `applicableVariables` for that slot.
 *
 * @example
 * ```ts
 * import { reachesMinimum } from "rollup-node-api"
 *
 * const applicable = { defaultSlotSetBid: [10n, 10n, 10n, 10n, 10n, 10n] }
 * console.log(reachesMinimum({ slotNum: 7, bidValue: 9n }, applicable)) // => false
 * console.log(reachesMinimum({ slotNum: 7, bidValue: 10n }, applicable)) // => true
 * ```
 */
export const reachesMinimum = (
  bid: Pick<Bid, "bidValue" | "slotNum">,
  applicable: Pick<AuctionVariables, "defaultSlotSetBid">
): boolean => bid.bidValue >= (applicable.defaultSlotSetBid[bid.slotNum % 6] ?? 0n)

/**
 * Returns the variables with the default bids of a slot: the newest ones with a
 * `defaultSlotSetBidFirstSlot` of at most `slotNum`. Returns undefined if there are none.
 *
 * @example
 * ```ts
 * import { applicableVariables, genesisVariables } from "rollup-node-api"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { auction } = genesisVariables(simulate({ seed: 1 }).genesis)
 * const newer = { ...auction, defaultSlotSetBidFirstSlot: 8 }
 * console.log(applicableVariables([newer, auction], 7) === auction) // => true
 * console.log(applicableVariables([newer, auction], 8) === newer) // => true
 * ```
 */
export const applicableVariables = (
  newestFirst: Iterable<AuctionVariables>,
  slotNum: number
): AuctionVariables | undefined => {
  for (const variables of newestFirst) {
    if (variables.defaultSlotSetBidFirstSlot <= slotNum) return variables
  }
  return undefined
}

/**
 * Returns the slot with a number. `best` has its best bid, and the result of `applicableVariables`
 * for it; it is null if there is no bid.
 *
 * @example
 * ```ts
 * import { auctionClock, genesisVariables, slotView } from "rollup-node-api"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, genesis: { block, constants } } = simulate({ seed: 1 })
 * const { auction } = genesisVariables(genesis)
 * const clock = auctionClock(constants.auction, auction, block.number)
 * const { closedAuction, openAuction, winner } = slotView(clock, clock.currentSlot, null)
 * console.log(closedAuction, openAuction, winner) // => true false null
 * ```
 */
export const slotView = (
  clock: AuctionClock,
  slotNum: number,
  best: { readonly bestBid: BidView; readonly applicable: AuctionVariables } | null
): SlotView => {
  const closedAuction = slotNum <= lastClosedSlot(clock)
  const firstBlock = firstBlockOfSlot(clock.constants, slotNum)
  return {
    slotNum,
    firstBlock,
    lastBlock: firstBlock + BigInt(clock.constants.blocksPerSlot) - 1n,
    openAuction: !closedAuction && slotNum <= lastOpenSlot(clock),
    closedAuction,
    bestBid: best?.bestBid ?? null,
    winner: closedAuction && best !== null && reachesMinimum(best.bestBid.bid, best.applicable)
      ? best.bestBid.coordinator
      : null
  }
}
