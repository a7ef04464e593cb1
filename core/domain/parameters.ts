import { Schema } from "effect"
import { BucketFeed } from "./bucket.ts"
import {
  digits78Text as big,
  ethereumAddress as address,
  integer,
  objectNamed,
  uint32,
  uint64Text as uint64
} from "./values.ts"

/** The schema of the verifiers of the rollup contract. */
export const VerifiersFeed = Schema.Array(Schema.Struct({ maxTx: uint32, nlevels: uint32 }))

/** A verifier of batches of at most `maxTx` transactions over trees of `nlevels` levels. */
export type Verifier = typeof VerifiersFeed.Type[number]

/** The schema of the constants of the contracts, as in `GET /config`. */
export const NetworkConstants = Schema.Struct({
  rollup: Schema.Struct({
    governanceToken: address,
    /** Blocks. */
    absoluteMaxL1L2BatchTimeout: uint32,
    /** The verifiers after the genesis block; governance can replace them. */
    verifiers: VerifiersFeed,
    auctionAddress: address,
    governanceAddress: address,
    safetyAddress: address,
    withdrawalDelayerAddress: address
  }),
  auction: Schema.Struct({
    blocksPerSlot: integer(1, 65535),
    initialMinimalBidding: big,
    genesisBlockNum: uint64,
    governanceToken: address,
    rollupAddress: address,
    governanceAddress: address
  }),
  withdrawalDelayer: Schema.Struct({
    /** Seconds. */
    maxWithdrawalDelay: integer(0, 2 ** 53 - 1),
    /** Seconds. */
    maxEmergencyModeTime: integer(0, 2 ** 53 - 1),
    rollupAddress: address
  })
})
export type NetworkConstants = typeof NetworkConstants.Type
export type AuctionConstants = NetworkConstants["auction"]

/** The schema of the variables of the rollup contract. */
export const RollupVariablesFeed = Schema.Struct({
  /** Blocks. */
  forgeL1L2BatchTimeout: uint32,
  /** Units of the governance token. */
  feeAddToken: big,
  /** Seconds. */
  withdrawalDelay: integer(0, 2 ** 53 - 1),
  buckets: Schema.Array(BucketFeed),
  safeMode: Schema.Boolean
}).annotate(objectNamed("RollupVariablesFeed", "The variables of the rollup contract"))

/** The schema of the variables of the auction contract. */
export const AuctionVariablesFeed = Schema.Struct({
  bootCoordinator: address,
  bootCoordinatorUrl: Schema.String,
  /** Blocks from the start of a slot after which anyone may forge. */
  slotDeadline: uint32,
  closedAuctionSlots: integer(0, 65535),
  openAuctionSlots: integer(0, 65535),
  /** Minimum bid by slot number modulo 6, units of the governance token. */
  defaultSlotSetBid: Schema.Array(big).check(Schema.isMinLength(6), Schema.isMaxLength(6)),
  /**
   * The slot of the last change of `defaultSlotSetBid` plus the closed slots at that time: the last
   * slot that this change left as it was.
   */
  defaultSlotSetBidSlotNum: uint32,
  /** Percentage times 100 by which a bid must exceed the previous one: 1000 is 10 %. */
  outbidding: uint32,
  donationAddress: address,
  /** Shares that are burned, donated and paid to governance, in hundredths of a percent. */
  allocationRatio: Schema.Array(uint32).check(Schema.isMinLength(3), Schema.isMaxLength(3))
}).annotate(objectNamed("AuctionVariablesFeed", "The variables of the auction contract"))

/** The schema of the variables of the withdrawal delayer contract. */
export const WithdrawalDelayerVariablesFeed = Schema.Struct({
  governanceAddress: address,
  emergencyCouncilAddress: address,
  keeperAddress: address,
  /** Seconds. */
  withdrawalDelay: integer(0, 2 ** 53 - 1),
  emergencyModeStartingBlock: uint64,
  /** Seconds since 1970. */
  emergencyModeStartingTime: integer(0, 2 ** 53 - 1),
  emergencyMode: Schema.Boolean
}).annotate(
  objectNamed("WithdrawalDelayerVariablesFeed", "The variables of the withdrawal delayer contract")
)

/** Variables of a contract in the ledger, with the block of their last change. */
type Changed<Feed extends { readonly Type: unknown }> = Feed["Type"] & {
  readonly ethereumBlockNum: bigint
}

/** The variables that governance can change. */
export interface NetworkVariables {
  readonly rollup: Changed<typeof RollupVariablesFeed> & {
    readonly verifiers: ReadonlyArray<Verifier>
  }
  readonly auction: AuctionVariables
  readonly withdrawalDelayer: Changed<typeof WithdrawalDelayerVariablesFeed>
}

/** The variables of the auction contract. */
export interface AuctionVariables extends Changed<typeof AuctionVariablesFeed> {
  /**
   * First slot to which `defaultSlotSetBid` applies: an earlier change may have found a later slot
   * closed. 2^32 if it applies to no slot.
   */
  readonly defaultSlotSetBidFirstSlot: number
}
