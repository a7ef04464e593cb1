import { Schema } from "effect"
import {
  digits78Text as big,
  ethereumAddress as address,
  hash,
  integer,
  timeMs,
  uint32,
  objectNamed,
  uint64Text as uint64
} from "./values.ts"
import type { NetworkVariables } from "./parameters.ts"
import { slotNumMax, slotOfBlock } from "./slot.ts"

const BucketFeed = Schema.Struct({
  ceilUSD: big,
  blockStamp: uint64,
  withdrawals: uint64,
  blockWithdrawalRate: uint64,
  rateWithdrawals: Schema.optionalKey(uint64),
  maxWithdrawals: uint64
}).annotate(
  objectNamed(
    "BucketFeed",
    "A bucket that limits instant withdrawals: after each blockWithdrawalRate blocks, rateWithdrawals more are allowed, by default 1"
  )
)

/** The schema of the verifiers of the rollup contract. */
export const VerifiersFeed = Schema.Array(Schema.Struct({ maxTx: uint32, nlevels: uint32 }))

/** The schema of the variables of the rollup contract. */
export const RollupVariablesFeed = Schema.Struct({
  forgeL1L2BatchTimeout: uint32,
  feeAddToken: big,
  withdrawalDelay: integer(0, 2 ** 53 - 1),
  buckets: Schema.Array(BucketFeed),
  safeMode: Schema.Boolean
}).annotate(objectNamed("RollupVariablesFeed", "The variables of the rollup contract"))

/** The schema of the variables of the auction contract. */
export const AuctionVariablesFeed = Schema.Struct({
  bootCoordinator: address,
  bootCoordinatorUrl: Schema.String,
  slotDeadline: uint32,
  closedAuctionSlots: integer(0, 65535),
  openAuctionSlots: integer(0, 65535),
  defaultSlotSetBid: Schema.Array(big).check(Schema.isMinLength(6), Schema.isMaxLength(6)),
  defaultSlotSetBidSlotNum: uint32,
  outbidding: uint32,
  donationAddress: address,
  allocationRatio: Schema.Array(uint32).check(Schema.isMinLength(3), Schema.isMaxLength(3))
}).annotate(objectNamed("AuctionVariablesFeed", "The variables of the auction contract"))

/** The schema of the variables of the withdrawal delayer contract. */
export const WithdrawalDelayerVariablesFeed = Schema.Struct({
  governanceAddress: address,
  emergencyCouncilAddress: address,
  keeperAddress: address,
  withdrawalDelay: integer(0, 2 ** 53 - 1),
  emergencyModeStartingBlock: uint64,
  emergencyModeStartingTime: integer(0, 2 ** 53 - 1),
  emergencyMode: Schema.Boolean
}).annotate(
  objectNamed("WithdrawalDelayerVariablesFeed", "The variables of the withdrawal delayer contract")
)

/**
 * The schema of the first record of a feed: the network with its contracts, and the block before
 * the first one.
 */
export const GenesisFeed = Schema.Struct({
  network: Schema.Struct({
    prefix: Schema.String.check(
      Schema.isPattern(/^[a-z][a-z0-9]{0,15}$/u, {
        expected: "1 to 16 lower-case letters and digits, a letter first"
      })
    ),
    name: Schema.String,
    chainId: integer(0, 65535),
    rollupAddress: address
  }),
  block: Schema.Struct({ number: uint64, hash, timestampMs: timeMs }),
  constants: Schema.Struct({
    rollup: Schema.Struct({
      governanceToken: address,
      absoluteMaxL1L2BatchTimeout: uint32,
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
      maxWithdrawalDelay: integer(0, 2 ** 53 - 1),
      maxEmergencyModeTime: integer(0, 2 ** 53 - 1),
      rollupAddress: address
    })
  }),
  variables: Schema.Struct({
    rollup: RollupVariablesFeed,
    auction: AuctionVariablesFeed,
    withdrawalDelayer: WithdrawalDelayerVariablesFeed
  })
}).annotate(
  objectNamed("GenesisFeed", "The network with its contracts, and the block before the first one")
).check(Schema.makeFilter(({ block, constants: { auction } }) => {
  // every slot must have blocks with a valid number, and the genesis block must have a slot
  if (
    auction.genesisBlockNum + BigInt(auction.blocksPerSlot) * BigInt(slotNumMax + 1) > 1n << 64n
  ) {
    return {
      path: ["constants", "auction", "genesisBlockNum"],
      issue: "Expected a block after which 2^32 slots end before block 2^64"
    }
  }
  return slotOfBlock(auction, block.number) <= slotNumMax
    ? undefined
    : { path: ["block", "number"], issue: `Expected a block of a slot up to ${slotNumMax}` }
}))

export type GenesisFeed = typeof GenesisFeed.Type

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
