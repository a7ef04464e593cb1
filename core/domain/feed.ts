import { Schema } from "effect"
import {
  accountIndex,
  digits78Text as big,
  ethereumAddress as address,
  hash,
  integer,
  timeMs,
  uint32,
  objectNamed,
  uint64Text as uint64
} from "./values.ts"
import { BatchFeed, L1UserFeed } from "./batch_feed.ts"
import { GenesisFeed } from "./genesis_feed.ts"
import {
  AuctionVariablesFeed,
  RollupVariablesFeed,
  VerifiersFeed,
  WithdrawalDelayerVariablesFeed
} from "./parameters.ts"
import { priceUSDMax } from "./token.ts"

/*
 * The records that a synchroniser or coordinator sends to the ledger: one for each Ethereum block
 * with its complete content, and the rollbacks between them. Amounts and block numbers are bigint
 * in memory and decimal strings in JSON, so that no reader rounds them.
 */

/** The schema of a token that the rollup contract registered. */
export const TokenFeed = Schema.Struct({
  id: uint32,
  ethereumAddress: address,
  name: Schema.String,
  symbol: Schema.String,
  decimals: integer(0, 255)
}).annotate(
  objectNamed(
    "TokenFeed",
    "A token that the rollup contract registered. Ids are consecutive from 1; token 0 is ether and always exists"
  )
)

/** The schema of a registration of a coordinator. */
export const CoordinatorFeed = Schema.Struct({
  bidderAddr: address,
  forgerAddr: address,
  url: Schema.String
}).annotate(objectNamed("CoordinatorFeed", "A coordinator that registered, or registered again"))

/** The schema of a bid; `bidValue` is in units of the governance token. */
export const BidFeed = Schema.Struct({
  slotNum: uint32,
  bidderAddr: address,
  bidValue: big,
  withdrawAddr: Schema.optionalKey(address)
}).annotate(
  objectNamed(
    "BidFeed",
    "A bid; each bid of a slot exceeds the one before it. withdrawAddr is the bidder's own address by default"
  )
)

/** The schema of a withdrawal from the rollup contract. */
export const WithdrawalFeed = Schema.Struct({
  batchNum: uint32,
  accountIndex,
  instant: Schema.Boolean
}).annotate(
  objectNamed(
    "WithdrawalFeed",
    "A withdrawal from the rollup contract: instant, or sent to the delayer"
  )
)

/** The schema of a collection from the withdrawal delayer. */
export const DelayedWithdrawalFeed = Schema.Struct({
  owner: address,
  tokenId: uint32,
  afterWithdrawals: Schema.optionalKey(uint32)
}).annotate(
  objectNamed(
    "DelayedWithdrawalFeed",
    "A collection from the delayer. It settles every exit of the owner and token that was requested before: in earlier blocks, and by the first afterWithdrawals withdrawals of this block. By default these are none, since the delay cannot have passed, and all of them if the delay is 0"
  )
)

/** The schema of a price: US dollars for one whole token, and its time in milliseconds since 1970. */
export const PriceFeed = Schema.Struct({
  tokenId: uint32,
  priceUSD: Schema.NullOr(
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: priceUSDMax }))
  ),
  timeMs
}).annotate(
  objectNamed("PriceFeed", "The price of a token at this block; null if it is no longer known")
)

/** The schema of a change of a withdrawal bucket. */
export const BucketUpdateFeed = Schema.Struct({
  bucket: integer(0, 255),
  blockStamp: uint64,
  withdrawals: uint64
}).annotate(
  objectNamed("BucketUpdateFeed", "The withdrawal bucket at a position of buckets changed")
)

/** The schema of a reference to the last block of the ledger, from a block after a gap. */
export const PreviousBlockFeed = Schema.Struct({ number: uint64, hash }).annotate(
  objectNamed(
    "PreviousBlockFeed",
    "The last block that the ledger has stored. The Ethereum blocks between it and the block are empty: the ledger would store nothing but their numbers and hashes"
  )
)

/** The schema of an Ethereum block with everything that the ledger stores of it. */
export const BlockFeed = Schema.Struct({
  number: uint64,
  hash,
  parentHash: hash,
  previous: Schema.optionalKey(PreviousBlockFeed),
  timestampMs: timeMs,
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
  verifiers: Schema.optionalKey(VerifiersFeed),
  withdrawals: Schema.optionalKey(Schema.Array(WithdrawalFeed)),
  delayedWithdrawals: Schema.optionalKey(Schema.Array(DelayedWithdrawalFeed))
}).annotate(
  objectNamed(
    "BlockFeed",
    "The content of one Ethereum block, in chain order. Its number follows that of the last block; with previous it may be any greater one, and the blocks between are left out. parentHash is the hash of the Ethereum block number - 1, also after a gap; it is compared if the ledger has stored that block. Absent lists are empty, absent variables and verifiers unchanged. lastEthereumBlock is the newest block of the chain that the writer knows of, by default the block's own number; the value that the blocks state never decreases"
  )
)

/** The schema of a head: how far the writer has read the chain. */
export const HeadFeed = Schema.Struct({
  number: uint64,
  hash,
  timestampMs: timeMs,
  chainHead: uint64
}).annotate(
  objectNamed(
    "HeadFeed",
    "How far the writer is synchronised. number, hash and timestampMs are those of the newest Ethereum block that the writer has completely read: each block after the last one of the ledger up to it holds nothing that the ledger stores. chainHead is the number of the newest block of the chain that the writer knows of"
  )
)

/** The kinds of records. */
export const feedRecordKinds = ["genesis", "block", "rollBack", "prices", "head"] as const

/**
 * The schema of one record of a feed: its values in memory, and its JSON, where amounts and block
 * numbers are decimal strings. The schemas of its parts, such as `BlockFeed` and `PriceFeed`, are
 * exported too.
 *
 * @example
 * ```ts
 * import { Schema } from "effect"
 * import { FeedRecord } from "rollup-node-api"
 *
 * const price = { tokenId: 0, priceUSD: 2011.5, timeMs: 1_700_000_000_000 }
 * console.log(Schema.is(FeedRecord)({ kind: "prices", prices: [price] })) // => true
 * const rollBack = { kind: "rollBack", toBlock: 18000000n } as const
 * console.log(Schema.encodeSync(FeedRecord)(rollBack)) // => { kind: 'rollBack', toBlock: '18000000' }
 * ```
 */
export const FeedRecord = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("genesis"), genesis: GenesisFeed }).annotate(
    objectNamed("GenesisRecord", "The first record of a feed")
  ),
  Schema.Struct({ kind: Schema.Literal("block"), block: BlockFeed }).annotate(
    objectNamed("BlockRecord", "Adds a block after the last one")
  ),
  Schema.Struct({ kind: Schema.Literal("rollBack"), toBlock: uint64 }).annotate(
    objectNamed(
      "RollBackRecord",
      "Drops every block above toBlock, which may be one of the empty blocks that the feed leaves out"
    )
  ),
  Schema.Struct({ kind: Schema.Literal("prices"), prices: Schema.Array(PriceFeed) }).annotate(
    objectNamed(
      "PricesRecord",
      "Prices that arrived between two blocks: they belong to the earlier block"
    )
  ),
  Schema.Struct({ kind: Schema.Literal("head"), head: HeadFeed }).annotate(
    objectNamed(
      "HeadRecord",
      "Replaces the head: how far the writer is synchronised, and how far the chain is. It adds nothing to the ledger, and may be sent as often as the chain grows"
    )
  )
]).annotate({
  identifier: "FeedRecord",
  message: "Expected a record of kind genesis, block, rollBack, prices or head",
  description: "One record of a feed, a line of NDJSON"
})

export type BlockFeed = typeof BlockFeed.Type
export type HeadFeed = typeof HeadFeed.Type
export type FeedRecord = typeof FeedRecord.Type
export type PriceFeed = typeof PriceFeed.Type
export type TokenFeed = typeof TokenFeed.Type
export type BidFeed = typeof BidFeed.Type
export type CoordinatorFeed = typeof CoordinatorFeed.Type
export type WithdrawalFeed = typeof WithdrawalFeed.Type
export type DelayedWithdrawalFeed = typeof DelayedWithdrawalFeed.Type

const json = Schema.fromJsonString(FeedRecord)

/**
 * Returns a record as one line of JSON, without the line feed.
 *
 * @example
 * ```ts
 * import { readFeedLine, writeFeedLine } from "rollup-node-api"
 *
 * const line = writeFeedLine({ kind: "rollBack", toBlock: 18000000n })
 * console.log(line) // => {"kind":"rollBack","toBlock":"18000000"}
 * const record = readFeedLine(line)
 * if (record._tag === "Success") console.log(record.value.kind) // => rollBack
 * console.log(readFeedLine(`{"kind":"rollBack","toBlock":18000000}`)._tag) // => Failure
 * ```
 */
export const writeFeedLine: (record: FeedRecord) => string = Schema.encodeSync(json)

/**
 * Returns the record of one line of a feed. Fails with every violation and its path; unknown
 * members are violations.
 *
 * @example
 * ```ts
 * import { Cause, Exit } from "effect"
 * import { readFeedLine } from "rollup-node-api"
 *
 * const record = readFeedLine(`{"kind":"rollBack","toBlock":"18000000"}`)
 * if (Exit.isSuccess(record)) console.log(record.value.kind) // => rollBack
 * const invalid = readFeedLine(`{"kind":"rollBack","toBlock":"1e3"}`)
 * if (Exit.isFailure(invalid)) console.log(String(Cause.squash(invalid.cause)).includes("toBlock"))
 * // => true
 * ```
 */
export const readFeedLine = (line: string) =>
  Schema.decodeUnknownExit(json, { errors: "all", onExcessProperty: "error" })(line)

/**
 * Returns the JSON Schema (draft 2020-12) of one line of a feed. A line of the schema can still
 * violate a rule of the ledger, such as the numbering of blocks, or the bound of a decimal string.
 *
 * @example
 * ```ts
 * import { feedJsonSchema } from "rollup-node-api"
 *
 * const { $ref, title } = feedJsonSchema()
 * console.log(title, $ref) // => Record of a feed #/$defs/FeedRecord
 * ```
 */
export const feedJsonSchema = (): { readonly [keyword: string]: unknown } => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(FeedRecord, {
    onExcessProperty: "error"
  })
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "urn:rollup-node-api:schema:feed",
    title: "Record of a feed",
    ...schema,
    $defs: definitions
  }
}
