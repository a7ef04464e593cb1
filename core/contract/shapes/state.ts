import type {
  AuctionVariables,
  Bucket,
  Metrics,
  NetworkState,
  NextForger,
  NodeStatus,
  RecommendedFee,
  RollupVariables,
  StateView,
  WithdrawalDelayerVariables
} from "../../domain/mod.ts"
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
import { field, reference, type Shape, shape, arrayOf, nullable } from "../wire_type.ts"
import { coordinator } from "./auction.ts"
import { batch } from "./batch.ts"

export const period = shape<NextForger["period"]>(
  "Period",
  "When the coordinator may forge; times are estimates",
  {
    slotNum: field(slotNum, (p) => p.slotNum),
    fromBlock: field(ethBlockNum, (p) => p.fromBlock),
    toBlock: field(ethBlockNum, (p) => p.toBlock),
    fromTimestamp: field(dateTime, (p) => p.fromTimestampMs),
    toTimestamp: field(dateTime, (p) => p.toTimestampMs)
  }
)

export const nextForger = (of: Shape<NextForger["period"]>) =>
  shape<NextForger>("NextForger", "Coordinator that will forge, and when", {
    coordinator: field(reference(coordinator), (n) => n.coordinator),
    period: field(reference(of), (n) => n.period)
  })

export const stateNetwork = shape<NetworkState>("StateNetwork", "Progress of the network", {
  lastEthereumBlock: field(ethBlockNum, (s) => s.lastEthereumBlock, "Newest block of the chain"),
  lastSynchedBlock: field(
    ethBlockNum,
    (s) => s.lastSynchedBlock,
    "Newest block up to which this node is synchronised"
  ),
  lastBatch: field(nullable(reference(batch)), (s) => s.lastBatch, "Null before the first batch"),
  currentSlot: field(slotNum, (s) => s.currentSlot),
  nextForgers: field(arrayOf(reference(nextForger(period))), (s) => s.nextForgers)
})

export const metrics = shape<Metrics>(
  "Metrics",
  "Averages over the batches of a window that ends at the last block: 24 hours, or since the genesis block if that is less",
  {
    transactionsPerBatch: field(
      number,
      (m) => m.transactionsPerBatch,
      "Transactions divided by batches; 0: unknown, the window has no batch"
    ),
    batchFrequency: field(
      number,
      (m) => m.batchFrequency,
      "Seconds from the first to the last batch, divided by the number of batches less one; 0: unknown, the window has fewer than two batches"
    ),
    transactionsPerSecond: field(
      number,
      (m) => m.transactionsPerSecond,
      "Transactions divided by the seconds of the window; 0: unknown if the window has no batch"
    ),
    totalAccounts: field(count, (m) => m.totalAccounts),
    totalBJJs: field(count, (m) => m.totalPublicKeys, "Distinct BabyJubJub keys"),
    avgTransactionFee: field(
      usd,
      (m) => m.avgTransactionFee,
      "US dollars for each L2 transaction; 0: unknown if the window has none"
    )
  }
)

export const bucket = shape<Bucket>("Bucket", "Limit of instant withdrawals of one size", {
  ceilUSD: field(bigInt, (b) => b.ceilUSD, "Greatest withdrawal, in US dollars"),
  withdrawals: field(
    bigCount,
    (b) => b.withdrawals,
    "Withdrawals that were left after the last change"
  ),
  blockWithdrawalRate: field(
    bigCount,
    (b) => b.blockWithdrawalRate,
    "Blocks after which more withdrawals are allowed"
  ),
  maxWithdrawals: field(bigCount, (b) => b.maxWithdrawals)
})

export const stateRollup = (of: Shape<Bucket>) =>
  shape<RollupVariables>("StateRollup", "Variables of the rollup contract", {
    ethereumBlockNum: field(ethBlockNum, (v) => v.ethereumBlockNum, "Block of the last change"),
    forgeL1L2BatchTimeout: field(count, (v) => v.forgeL1L2BatchTimeout, "Blocks"),
    feeAddToken: field(bigInt, (v) => v.feeAddToken, "Units of the governance token"),
    withdrawalDelay: field(count, (v) => v.withdrawalDelay, "Seconds"),
    buckets: field(arrayOf(reference(of)), (v) => v.buckets)
  })

export const stateAuction = shape<AuctionVariables>(
  "StateAuction",
  "Variables of the auction contract",
  {
    ethereumBlockNum: field(ethBlockNum, (v) => v.ethereumBlockNum, "Block of the last change"),
    bootCoordinator: field(
      ethereumAddress,
      (v) => v.bootCoordinator,
      "Forges slots without a winning bid"
    ),
    bootCoordinatorUrl: field(text, (v) => v.bootCoordinatorUrl),
    slotDeadline: field(
      count,
      (v) => v.slotDeadline,
      "Blocks from the start of a slot after which any coordinator may forge"
    ),
    closedAuctionSlots: field(
      count,
      (v) => v.closedAuctionSlots,
      "Number of slots after the current one that are closed for bids"
    ),
    openAuctionSlots: field(
      count,
      (v) => v.openAuctionSlots,
      "Number of slots after the closed ones that are open for bids"
    ),
    defaultSlotSetBid: field(
      arrayOf(bigInt, { length: 6 }),
      (v) => v.defaultSlotSetBid,
      "Minimum bid, by slot number modulo 6"
    ),
    outbidding: field(
      count,
      (v) => v.outbidding,
      "By how much a bid must exceed the previous one: percentage times 100"
    ),
    donationAddress: field(ethereumAddress, (v) => v.donationAddress),
    allocationRatio: field(
      arrayOf(count, { length: 3 }),
      (v) => v.allocationRatio,
      "Burned, donated, to governance: percentage times 100"
    )
  }
)

export const stateWithdrawalDelayer = shape<WithdrawalDelayerVariables>(
  "StateWithdrawalDelayer",
  "Variables of the withdrawal delayer contract",
  {
    ethereumBlockNum: field(ethBlockNum, (v) => v.ethereumBlockNum, "Block of the last change"),
    governanceAddress: field(ethereumAddress, (v) => v.governanceAddress),
    emergencyCouncilAddress: field(ethereumAddress, (v) => v.emergencyCouncilAddress),
    withdrawalDelay: field(count, (v) => v.withdrawalDelay, "Seconds"),
    emergencyModeStartingBlock: field(ethBlockNum, (v) => v.emergencyModeStartingBlock),
    emergencyMode: field(boolean, (v) => v.emergencyMode)
  }
)

const recommendedFee = shape<RecommendedFee>(
  "RecommendedFee",
  "Fee in US dollars that the coordinator recommends: that of an average L2 transaction of the last hour, or a setting of the node if none paid a fee",
  {
    existingAccount: field(usd, (f) => f.existingAccount, "The destination account exists"),
    createAccount: field(
      usd,
      (f) => f.createAccount,
      "The coordinator creates an account of an Ethereum address"
    ),
    createAccountInternal: field(
      usd,
      (f) => f.createAccountInternal,
      "The coordinator creates an account of a key alone"
    )
  }
)

/** The parts of the state that differ between revisions. */
export interface StateParts {
  readonly network: Shape<NetworkState>
  readonly metrics: Shape<Metrics>
  readonly rollup: Shape<RollupVariables>
  readonly auction: Shape<AuctionVariables>
  readonly withdrawalDelayer: Shape<WithdrawalDelayerVariables>
  readonly node?: Shape<NodeStatus>
}

export const state = (parts: StateParts) =>
  shape<StateView>("State", "Current state of the network", {
    network: field(reference(parts.network), (s) => s),
    metrics: field(reference(parts.metrics), (s) => s.metrics),
    rollup: field(reference(parts.rollup), (s) => s.variables.rollup),
    auction: field(reference(parts.auction), (s) => s.variables.auction),
    withdrawalDelayer: field(
      reference(parts.withdrawalDelayer),
      (s) => s.variables.withdrawalDelayer
    ),
    recommendedFee: field(reference(recommendedFee), (s) => s.recommendedFee),
    ...parts.node === undefined ? {} : { node: field(reference(parts.node), (s) => s.node!) }
  })
