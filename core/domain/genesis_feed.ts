import { Schema } from "effect"
import {
  AuctionVariablesFeed,
  NetworkConstants,
  RollupVariablesFeed,
  WithdrawalDelayerVariablesFeed
} from "./parameters.ts"
import {
  ethereumAddress as address,
  hash,
  integer,
  timeMs,
  objectNamed,
  uint64Text as uint64
} from "./values.ts"
import { slotNumMax, slotOfBlock } from "./slot.ts"

/**
 * The schema of the first record of a feed: the network with its contracts, and the block before
 * the first one.
 */
export const GenesisFeed = Schema.Struct({
  network: Schema.Struct({
    /** Lower-case letters and digits, starting with a letter: `zk` by default. */
    prefix: Schema.String.check(
      Schema.isPattern(/^[a-z][a-z0-9]{0,15}$/u, {
        expected: "1 to 16 lower-case letters and digits, a letter first"
      })
    ),
    /** The provider name of account-creation authorizations. */
    name: Schema.String,
    /** 0..65535: two bytes of the signed content of an L2 transaction. */
    chainId: integer(0, 65535),
    rollupAddress: address
  }),
  block: Schema.Struct({ number: uint64, hash, timestampMs: timeMs }),
  constants: NetworkConstants,
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
