import type { EthereumAddress } from "../encoding/mod.ts"

/** The constants of the contracts, as in `GET /config`. Units are in the names of domain §1.12. */
export interface NetworkConstants {
  readonly rollup: RollupConstants
  readonly auction: AuctionConstants
  readonly withdrawalDelayer: WithdrawalDelayerConstants
}

export interface RollupConstants {
  readonly governanceToken: EthereumAddress
  /** Blocks. */
  readonly absoluteMaxL1L2BatchTimeout: number
  readonly verifiers: ReadonlyArray<{ readonly maxTx: number; readonly nlevels: number }>
  readonly auctionAddress: EthereumAddress
  readonly governanceAddress: EthereumAddress
  readonly safetyAddress: EthereumAddress
  readonly withdrawalDelayerAddress: EthereumAddress
}

export interface AuctionConstants {
  readonly blocksPerSlot: number
  readonly initialMinimalBidding: bigint
  readonly genesisBlockNum: bigint
  readonly governanceToken: EthereumAddress
  readonly rollupAddress: EthereumAddress
  readonly governanceAddress: EthereumAddress
}

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

export interface Bucket {
  readonly ceilUSD: bigint
  /** Block of the last change of `withdrawals`. */
  readonly blockStamp: bigint
  readonly withdrawals: bigint
  /** Blocks after which one more withdrawal is allowed. */
  readonly blockWithdrawalRate: bigint
  readonly maxWithdrawals: bigint
}

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
}

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
  /** First slot to which `defaultSlotSetBid` applies. */
  readonly defaultSlotSetBidSlotNum: number
  /** Percentage times 100 by which a bid must exceed the previous one: 1000 is 10 %. */
  readonly outbidding: number
  readonly donationAddress: EthereumAddress
  /** Burned, donated, to governance: hundredths of a percent. */
  readonly allocationRatio: ReadonlyArray<number>
}

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
