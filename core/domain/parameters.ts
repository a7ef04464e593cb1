import type { Bucket } from "./bucket.ts"
import type { EthereumAddress } from "../encoding/mod.ts"

/** The constants of the contracts, as in `GET /config`. */
export interface NetworkConstants {
  readonly rollup: RollupConstants
  readonly auction: AuctionConstants
  readonly withdrawalDelayer: WithdrawalDelayerConstants
}

/** The constants of the rollup contract. */
export interface RollupConstants {
  readonly governanceToken: EthereumAddress
  /** Blocks. */
  readonly absoluteMaxL1L2BatchTimeout: number
  /** The verifiers after the genesis block; governance can replace them. */
  readonly verifiers: ReadonlyArray<Verifier>
  readonly auctionAddress: EthereumAddress
  readonly governanceAddress: EthereumAddress
  readonly safetyAddress: EthereumAddress
  readonly withdrawalDelayerAddress: EthereumAddress
}

/** A verifier of batches of at most `maxTx` transactions over trees of `nlevels` levels. */
export interface Verifier {
  readonly maxTx: number
  readonly nlevels: number
}

/** The constants of the auction contract. */
export interface AuctionConstants {
  readonly blocksPerSlot: number
  readonly initialMinimalBidding: bigint
  readonly genesisBlockNum: bigint
  readonly governanceToken: EthereumAddress
  readonly rollupAddress: EthereumAddress
  readonly governanceAddress: EthereumAddress
}

/** The constants of the withdrawal delayer contract. */
export interface WithdrawalDelayerConstants {
  /** Seconds. */
  readonly maxWithdrawalDelay: number
  /** Seconds. */
  readonly maxEmergencyModeTime: number
  readonly rollupAddress: EthereumAddress
}

/** The variables that governance can change, each set with the block of its last change. */
export interface NetworkVariables {
  readonly rollup: RollupVariables
  readonly auction: AuctionVariables
  readonly withdrawalDelayer: WithdrawalDelayerVariables
}

/** The variables of the rollup contract. */
export interface RollupVariables {
  readonly ethereumBlockNum: bigint
  /** Blocks. */
  readonly forgeL1L2BatchTimeout: number
  /** Units of the governance token. */
  readonly feeAddToken: bigint
  /** Seconds. */
  readonly withdrawalDelay: number
  readonly buckets: ReadonlyArray<Bucket>
  readonly safeMode: boolean
  readonly verifiers: ReadonlyArray<Verifier>
}

/** The variables of the auction contract. */
export interface AuctionVariables {
  readonly ethereumBlockNum: bigint
  readonly bootCoordinator: EthereumAddress
  readonly bootCoordinatorUrl: string
  /** Blocks from the start of a slot after which anyone may forge. */
  readonly slotDeadline: number
  readonly closedAuctionSlots: number
  readonly openAuctionSlots: number
  /** Minimum bid by slot number modulo 6, units of the governance token. */
  readonly defaultSlotSetBid: ReadonlyArray<bigint>
  /**
   * The slot of the last change of `defaultSlotSetBid` plus the closed slots at that time: the last
   * slot that this change left as it was.
   */
  readonly defaultSlotSetBidSlotNum: number
  /**
   * First slot to which `defaultSlotSetBid` applies: an earlier change may have found a later slot
   * closed. 2^32 if it applies to no slot.
   */
  readonly defaultSlotSetBidFirstSlot: number
  /** Percentage times 100 by which a bid must exceed the previous one: 1000 is 10 %. */
  readonly outbidding: number
  readonly donationAddress: EthereumAddress
  /** Shares that are burned, donated and paid to governance, in hundredths of a percent. */
  readonly allocationRatio: ReadonlyArray<number>
}

/** The variables of the withdrawal delayer contract. */
export interface WithdrawalDelayerVariables {
  readonly ethereumBlockNum: bigint
  readonly governanceAddress: EthereumAddress
  readonly emergencyCouncilAddress: EthereumAddress
  readonly keeperAddress: EthereumAddress
  /** Seconds. */
  readonly withdrawalDelay: number
  readonly emergencyModeStartingBlock: bigint
  /** Seconds since 1970. */
  readonly emergencyModeStartingTime: number
  readonly emergencyMode: boolean
}
