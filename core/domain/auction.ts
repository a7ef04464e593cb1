import type { EthereumAddress } from "../encoding/mod.ts"

/** One registration of a coordinator; the latest of a bidder counts. */
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
  /** Where a lost bid can be claimed: the bidder's own address unless the feed says otherwise. */
  readonly withdrawAddr: EthereumAddress
  /** Units of the governance token. */
  readonly bidValue: bigint
  readonly ethereumBlockNum: bigint
  readonly timestampMs: number
}

/** A bid as it is shown: with the latest registration of its bidder. */
export interface BidView {
  readonly bid: Bid
  readonly coordinator: Coordinator
}

/** A slot always exists: any number 0..2^32 − 1. */
export interface SlotView {
  readonly slotNum: number
  readonly firstBlock: bigint
  readonly lastBlock: bigint
  /** Bids are accepted now. */
  readonly openAuction: boolean
  /** No bid can be made any more. */
  readonly closedAuction: boolean
  /** The highest bid, even one below the minimum. */
  readonly bestBid: BidView | null
  /** Who won the auction: null while it is not closed, or where no bid reached the minimum. */
  readonly winner: Coordinator | null
}

export const slotNumMax = 4294967295
