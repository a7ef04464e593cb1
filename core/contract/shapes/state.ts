import { Schema } from "effect"
import type { StateView } from "../../domain/mod.ts"
import {
  bigCount,
  bigInt,
  boolean,
  count,
  dateTime,
  ethBlockNum,
  ethereumAddress,
  number,
  slotNum,
  text,
  usd
} from "../scalars/mod.ts"
import { documented, named, nullable, object, shape } from "../objects/mod.ts"
import { coordinator } from "./auction.ts"
import { publishedBatch } from "./history.ts"

export const period = object("Period", "When the coordinator may forge; times are estimates", {
  slotNum,
  fromBlock: ethBlockNum,
  toBlock: ethBlockNum,
  fromTimestampMs: named("fromTimestamp", dateTime),
  toTimestampMs: named("toTimestamp", dateTime)
})

export const nextForger = object("NextForger", "Coordinator that will forge, and when", {
  coordinator,
  period
})

/** The last field is that of `v1`. */
export const stateNetwork = object("StateNetwork", "Progress of the network", {
  lastEthereumBlock: documented(ethBlockNum, "Newest block of the chain"),
  lastSynchedBlock: documented(
    ethBlockNum,
    "Newest block up to which this node is synchronised"
  ),
  lastBatch: documented(nullable(publishedBatch), "Null before the first batch"),
  currentSlot: slotNum,
  nextForgers: Schema.Array(nextForger),
  pendingL1Transactions: documented(count, "L1 user transactions in queues")
})

/** The last field is that of `v1`. */
export const metrics = object(
  "Metrics",
  "Averages over the batches of a window that ends at the last block: 24 hours, or since the genesis block if that is less",
  {
    transactionsPerBatch: documented(
      number,
      "Transactions divided by batches; 0: unknown, the window has no batch"
    ),
    batchFrequency: documented(
      number,
      "Seconds from the first to the last batch, divided by the number of batches less one; 0: unknown, the window has fewer than two batches"
    ),
    transactionsPerSecond: documented(
      number,
      "Transactions divided by the seconds of the window; 0: unknown if the window has no batch"
    ),
    totalAccounts: count,
    totalPublicKeys: named("totalBJJs", count, "Distinct BabyJubJub keys"),
    avgTransactionFee: documented(
      usd,
      "US dollars for each L2 transaction; 0: unknown if the window has none"
    ),
    estimatedTimeToForgeL1: documented(
      number,
      "Seconds from queueing an L1 user transaction to its batch"
    )
  }
)

export const bucket = object("Bucket", "Limit of instant withdrawals of one size", {
  ceilUSD: documented(bigInt, "Greatest withdrawal, in US dollars"),
  withdrawals: documented(bigCount, "Withdrawals that were left after the last change"),
  blockWithdrawalRate: documented(
    bigCount,
    "Blocks after which more withdrawals are allowed"
  ),
  maxWithdrawals: bigCount
})

export const stateRollup = object("StateRollup", "Variables of the rollup contract", {
  ethereumBlockNum: documented(ethBlockNum, "Block of the last change"),
  forgeL1L2BatchTimeout: documented(count, "Blocks"),
  feeAddToken: documented(bigInt, "Units of the governance token"),
  withdrawalDelay: documented(count, "Seconds"),
  buckets: Schema.Array(bucket)
})

/** The last field is that of `v1`. */
export const stateAuction = object("StateAuction", "Variables of the auction contract", {
  ethereumBlockNum: documented(ethBlockNum, "Block of the last change"),
  bootCoordinator: documented(ethereumAddress, "Forges slots without a winning bid"),
  bootCoordinatorUrl: text,
  slotDeadline: documented(
    count,
    "Blocks from the start of a slot after which any coordinator may forge"
  ),
  closedAuctionSlots: documented(
    count,
    "Number of slots after the current one that are closed for bids"
  ),
  openAuctionSlots: documented(
    count,
    "Number of slots after the closed ones that are open for bids"
  ),
  defaultSlotSetBid: documented(listOfLength(6, bigInt), "Minimum bid, by slot number modulo 6"),
  outbidding: documented(
    count,
    "By how much a bid must exceed the previous one: percentage times 100"
  ),
  donationAddress: ethereumAddress,
  allocationRatio: documented(
    listOfLength(3, count),
    "Burned, donated, to governance: percentage times 100"
  ),
  defaultSlotSetBidSlotNum: documented(
    slotNum,
    "Last slot that the last change of defaultSlotSetBid left as it was"
  )
})

function listOfLength<S extends Schema.Top>(length: number, item: S) {
  return Schema.Array(item).check(Schema.isMinLength(length), Schema.isMaxLength(length))
}

export const stateWithdrawalDelayer = object(
  "StateWithdrawalDelayer",
  "Variables of the withdrawal delayer contract",
  {
    ethereumBlockNum: documented(ethBlockNum, "Block of the last change"),
    governanceAddress: ethereumAddress,
    emergencyCouncilAddress: ethereumAddress,
    withdrawalDelay: documented(count, "Seconds"),
    emergencyModeStartingBlock: ethBlockNum,
    emergencyMode: boolean
  }
)

const recommendedFee = object(
  "RecommendedFee",
  "Fee in US dollars that the coordinator recommends: that of an average L2 transaction of the last hour, or a setting of the node if none paid a fee",
  {
    existingAccount: documented(usd, "The destination account exists"),
    createAccount: documented(
      usd,
      "The coordinator creates an account of an Ethereum address"
    ),
    createAccountInternal: documented(
      usd,
      "The coordinator creates an account of a key alone"
    )
  }
)

export const state = object("State", "Current state of the network", {
  network: stateNetwork,
  metrics,
  rollup: stateRollup,
  auction: stateAuction,
  withdrawalDelayer: stateWithdrawalDelayer,
  recommendedFee
})

export const stateView = ({ variables, ...state }: StateView) => ({
  network: state,
  ...variables,
  metrics: state.metrics,
  recommendedFee: state.recommendedFee
})
export const stateShape = shape(state, stateView)
