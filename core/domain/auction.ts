import type { EthereumAddress } from "../encoding/mod.ts"

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

/** A slot of the auction. Every number 0..2^32 − 1 is a slot. */
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

/** The greatest slot number. */
export const slotNumMax = 4294967295
