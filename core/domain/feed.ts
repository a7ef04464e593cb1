import { Schema, SchemaTransformation } from "effect"
import { slotNumMax } from "./auction.ts"
import { slotOfBlock } from "./slot.ts"
import { priceUSDMax } from "./token.ts"
import * as values from "./values.ts"
import { accountIndex, ethereumAddress as address, ethSignature, hash, integer, publicKey, timeMs, uint32 } from "./values.ts"

/*
 * The records that a synchroniser or coordinator sends to the ledger: one for each Ethereum block
 * with its complete content, and the rollbacks between them. Amounts and block numbers are bigint
 * in memory and decimal strings in JSON, so that no reader rounds them.
 */

const decimal = Schema.String.check(
  Schema.isPattern(/^(0|[1-9]\d{0,77})$/u, { expected: "a decimal integer of at most 78 digits" })
)
const decimalText = (value: Schema.Codec<bigint>) =>
  decimal.pipe(
    Schema.decodeTo(value, SchemaTransformation.transform({ decode: BigInt, encode: String }))
  )
/** An exact, non-negative amount or field element: bigint in memory, a decimal string in JSON. */
const big = decimalText(values.digits78)
/** A block number or a count: bigint in memory, a decimal string in JSON. */
const uint64 = decimalText(values.uint64)

export const MerkleProofFeed = Schema.Struct({
  root: big,
  siblings: Schema.Array(big),
  oldKey: big,
  oldValue: big,
  isOld0: Schema.Boolean,
  key: big,
  value: big,
  fnc: integer(0, 3)
})

/**
 * A token that the rollup contract registered. Ids are consecutive from 1; token 0 is ether and
 * always exists.
 */
export const TokenFeed = Schema.Struct({
  id: uint32,
  ethereumAddress: address,
  name: Schema.String,
  symbol: Schema.String,
  decimals: integer(0, 255)
})

/** A coordinator that registered, or registered again. */
export const CoordinatorFeed = Schema.Struct({
  bidderAddr: address,
  forgerAddr: address,
  url: Schema.String
})

/**
 * A bid; each bid of a slot exceeds the one before it. `withdrawAddr` is the bidder's own address
 * by default.
 */
export const BidFeed = Schema.Struct({
  slotNum: uint32,
  bidderAddr: address,
  bidValue: big,
  withdrawAddr: Schema.optionalKey(address)
})

/**
 * An L1 transaction that a user added to a queue. `fromPublicKey` is null unless it creates an
 * account (from 0).
 */
export const L1UserFeed = Schema.Struct({
  toForgeL1TransactionsNum: uint32,
  position: integer(0, 65535),
  fromAddress: address,
  fromPublicKey: Schema.NullOr(publicKey),
  fromAccountIndex: accountIndex,
  toAccountIndex: accountIndex,
  tokenId: uint32,
  depositAmount: big,
  amount: big
})

/**
 * The effect of one L1 user transaction when it was forged: declared or zero, by the rules of
 * domain §3.6.
 */
export const L1EffectFeed = Schema.Struct({ effectiveDepositAmount: big, effectiveAmount: big })

/** An account that the coordinator created: all-F address and no signature for an internal one. */
export const L1CoordinatorFeed = Schema.Struct({
  address,
  publicKey,
  tokenId: uint32,
  signature: Schema.NullOr(ethSignature)
})

/** An L2 transaction in the data availability, with the nonce of its sender's account. */
export const L2Feed = Schema.Struct({
  fromAccountIndex: accountIndex,
  toAccountIndex: accountIndex,
  amount: big,
  fee: integer(0, 255),
  nonce: big
})

/** A leaf of the exit tree: one for each account with a sum above zero, ascending by index. */
export const ExitFeed = Schema.Struct({ accountIndex, balance: big, merkleProof: MerkleProofFeed })

export const BatchFeed = Schema.Struct({
  batchNum: uint32,
  forgerAddr: address,
  stateRoot: big,
  exitRoot: big,
  /** Accounts that collect the fees of their token: at most 64, one for each token. */
  feeAccounts: Schema.Array(accountIndex),
  /** The queue that the batch forges, or null. */
  forgeL1TransactionsNum: Schema.NullOr(uint32),
  /** One effect for each transaction of that queue, by position. */
  l1UserEffects: Schema.Array(L1EffectFeed),
  l1Coordinator: Schema.Array(L1CoordinatorFeed),
  l2: Schema.Array(L2Feed),
  exits: Schema.Array(ExitFeed)
})

/** A withdrawal from the rollup contract: instant, or sent to the delayer. */
export const WithdrawalFeed = Schema.Struct({
  batchNum: uint32,
  accountIndex,
  instant: Schema.Boolean
})

/**
 * A collection from the delayer. It settles every exit of the owner and token that was requested in
 * an earlier block, and none of the same block, since the delay cannot have passed.
 */
export const DelayedWithdrawalFeed = Schema.Struct({ owner: address, tokenId: uint32 })

/** A price at this block; null if it is no longer known. */
export const PriceFeed = Schema.Struct({
  tokenId: uint32,
  priceUSD: Schema.NullOr(
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: priceUSDMax }))
  ),
  timeMs
})

const BucketFeed = Schema.Struct({
  ceilUSD: big,
  blockStamp: uint64,
  withdrawals: uint64,
  blockWithdrawalRate: uint64,
  maxWithdrawals: uint64
})

export const RollupVariablesFeed = Schema.Struct({
  forgeL1L2BatchTimeout: uint32,
  feeAddToken: big,
  withdrawalDelay: integer(0, 2 ** 53 - 1),
  buckets: Schema.Array(BucketFeed),
  safeMode: Schema.Boolean
})
export const AuctionVariablesFeed = Schema.Struct({
  bootCoordinator: address,
  bootCoordinatorUrl: Schema.String,
  slotDeadline: uint32,
  /** Bounded, since `GET /state` returns the forger of each of them. */
  closedAuctionSlots: integer(0, 1024),
  openAuctionSlots: integer(0, 65535),
  defaultSlotSetBid: Schema.Array(big).check(Schema.isMinLength(6), Schema.isMaxLength(6)),
  defaultSlotSetBidSlotNum: uint32,
  outbidding: uint32,
  donationAddress: address,
  allocationRatio: Schema.Array(uint32).check(Schema.isMinLength(3), Schema.isMaxLength(3))
})
export const WithdrawalDelayerVariablesFeed = Schema.Struct({
  governanceAddress: address,
  emergencyCouncilAddress: address,
  keeperAddress: address,
  withdrawalDelay: integer(0, 2 ** 53 - 1),
  emergencyModeStartingBlock: uint64,
  emergencyModeStartingTime: integer(0, 2 ** 53 - 1),
  emergencyMode: Schema.Boolean
})

/** The withdrawal bucket at a position of `buckets` changed. */
export const BucketUpdateFeed = Schema.Struct({
  bucket: integer(0, 255),
  blockStamp: uint64,
  withdrawals: uint64
})

/**
 * The content of one Ethereum block, in chain order. Absent lists are empty, absent variables
 * unchanged.
 */
export const BlockFeed = Schema.Struct({
  number: uint64,
  hash,
  parentHash: hash,
  timestampMs: timeMs,
  /**
   * Newest block of the chain that the writer knows of; the block's own number by default. The
   * value in the ledger never decreases.
   */
  lastEthereumBlock: Schema.optionalKey(uint64),
  prices: Schema.optionalKey(Schema.Array(PriceFeed)),
  coordinators: Schema.optionalKey(Schema.Array(CoordinatorFeed)),
  bids: Schema.optionalKey(Schema.Array(BidFeed)),
  tokens: Schema.optionalKey(Schema.Array(TokenFeed)),
  batches: Schema.optionalKey(Schema.Array(BatchFeed)),
  l1UserTransactions: Schema.optionalKey(Schema.Array(L1UserFeed)),
  rollupVariables: Schema.optionalKey(RollupVariablesFeed),
  auctionVariables: Schema.optionalKey(AuctionVariablesFeed),
  withdrawalDelayerVariables: Schema.optionalKey(WithdrawalDelayerVariablesFeed),
  bucketUpdates: Schema.optionalKey(Schema.Array(BucketUpdateFeed)),
  withdrawals: Schema.optionalKey(Schema.Array(WithdrawalFeed)),
  delayedWithdrawals: Schema.optionalKey(Schema.Array(DelayedWithdrawalFeed))
}).annotate({ identifier: "BlockFeed" })

/** The first record of a feed: the network it belongs to, and the block before its first one. */
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
      verifiers: Schema.Array(Schema.Struct({ maxTx: uint32, nlevels: uint32 })),
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
}).check(Schema.makeFilter(({ block, constants: { auction } }) => {
  // every slot has blocks with a valid number, and the genesis block has a slot
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
})).annotate({ identifier: "GenesisFeed" })

/** One line of a feed. */
export const FeedRecord = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("genesis"), genesis: GenesisFeed }),
  Schema.Struct({ kind: Schema.Literal("block"), block: BlockFeed }),
  /** Drops every block above `toBlock`. */
  Schema.Struct({ kind: Schema.Literal("rollBack"), toBlock: uint64 }),
  /** Prices that arrived between two blocks: they belong to the earlier block. */
  Schema.Struct({ kind: Schema.Literal("prices"), prices: Schema.Array(PriceFeed) })
]).annotate({ identifier: "FeedRecord" })

export type BlockFeed = typeof BlockFeed.Type
export type BatchFeed = typeof BatchFeed.Type
export type GenesisFeed = typeof GenesisFeed.Type
export type FeedRecord = typeof FeedRecord.Type
export type L1UserFeed = typeof L1UserFeed.Type
export type L1CoordinatorFeed = typeof L1CoordinatorFeed.Type
export type L1EffectFeed = typeof L1EffectFeed.Type
export type L2Feed = typeof L2Feed.Type
export type ExitFeed = typeof ExitFeed.Type
export type PriceFeed = typeof PriceFeed.Type
export type TokenFeed = typeof TokenFeed.Type
export type BidFeed = typeof BidFeed.Type
export type CoordinatorFeed = typeof CoordinatorFeed.Type
export type WithdrawalFeed = typeof WithdrawalFeed.Type
export type DelayedWithdrawalFeed = typeof DelayedWithdrawalFeed.Type

const json = Schema.fromJsonString(FeedRecord)
/** Returns a record as one line without the line feed. */
export const writeFeedLine: (record: FeedRecord) => string = Schema.encodeSync(json)
/** Decodes one line; fails with every violation and its place. Unknown members are refused. */
export const readFeedLine = (line: string) =>
  Schema.decodeUnknownExit(json, { errors: "all", onExcessProperty: "error" })(line)
