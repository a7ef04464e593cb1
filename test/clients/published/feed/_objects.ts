import { keccak256 } from "../../../../adapters/hashing/mod.ts"
import type {
  AccountView,
  Batch,
  BidView,
  Bucket,
  Coordinator,
  ExitView,
  NetworkState,
  SlotView,
  Token,
  TransactionView
} from "../../../../core/domain/mod.ts"
import {
  checksumAddress,
  formatAccountIndex,
  formatPrefixedAddress,
  formatPublicKey
} from "../../../../core/encoding/mod.ts"
import { rule } from "../_checks.ts"
import type { Value } from "../_library.ts"

/*
 * The objects of revision `later`, written by hand from what a feed contains. No declaration of the
 * contract is used, so that a fault in one is found.
 */

const prefix = "hez"
const address = (hex: string | null) =>
  hex === null ? null : formatPrefixedAddress(prefix, checksumAddress(hex, keccak256))
const publicKey = (hex: string | null) => hex === null ? null : formatPublicKey(prefix, hex)
const index = ({ symbol }: Token, of: number | null) =>
  of === null ? null : formatAccountIndex(prefix, symbol, of)
const block = (number: bigint | null) => number === null ? null : Number(number)
/** Returns the time in UTC without trailing zeros of its fraction. */
const time = (ms: number | null) =>
  ms === null ? null : rule(
    new Date(ms).toISOString(),
    (text) => typeof text === "string" && Date.parse(text) === ms
  )
/** An average, whose last digits depend on the order of its terms. */
const average = (value: number) =>
  rule(
    String(value),
    (shown) => typeof shown === "number" && Math.abs(shown - value) <= Math.abs(value) * 1e-12
  )

export const tokenObject = (token: Token): Value => ({
  id: token.id,
  ethereumAddress: token.ethereumAddress,
  itemId: token.itemId,
  name: token.name,
  symbol: token.symbol,
  decimals: token.decimals,
  ethereumBlockNum: block(token.ethereumBlockNum),
  USD: token.priceUSD,
  fiatUpdate: time(token.priceTimeMs)
})

export const accountObject = ({ account, token }: AccountView): Value => ({
  itemId: account.itemId,
  accountIndex: index(token, account.index),
  nonce: Number(account.nonce),
  balance: String(account.balance),
  bjj: publicKey(account.publicKey),
  hezEthereumAddress: address(account.address),
  token: tokenObject(token)
})

export const transactionObject = (
  { receiverToken, senderToken, token, transaction: of }: TransactionView
): Value => ({
  L1orL2: of.l1 === null ? "L2" : "L1",
  id: of.id,
  itemId: of.itemId,
  type: of.type,
  position: of.position,
  fromAccountIndex: index(senderToken ?? token, of.fromAccountIndex),
  fromHezEthereumAddress: address(of.fromAddress),
  fromBJJ: publicKey(of.fromPublicKey),
  toAccountIndex: index(receiverToken ?? token, of.toAccountIndex),
  toHezEthereumAddress: address(of.toAddress),
  toBJJ: publicKey(of.toPublicKey),
  amount: String(of.amount),
  batchNum: of.batchNum,
  historicUSD: of.historicUSD,
  timestamp: time(of.timestampMs),
  token: tokenObject(token),
  L1Info: of.l1 === null ? null : {
    toForgeL1TransactionsNum: of.l1.toForgeL1TransactionsNum,
    userOrigin: of.l1.userOrigin,
    depositAmount: String(of.l1.depositAmount),
    amountSuccess: of.l1.amountSuccess,
    depositAmountSuccess: of.l1.depositAmountSuccess,
    historicDepositAmountUSD: of.l1.historicDepositAmountUSD,
    ethereumBlockNum: block(of.l1.ethereumBlockNum)
  },
  L2Info: of.l2 === null ? null : {
    fee: of.l2.fee,
    historicFeeUSD: of.l2.historicFeeUSD,
    nonce: Number(of.l2.nonce)
  }
})

export const batchObject = (batch: Batch): Value => ({
  itemId: batch.itemId,
  batchNum: batch.batchNum,
  ethereumBlockNum: block(batch.ethereumBlockNum),
  ethereumBlockHash: batch.ethereumBlockHash,
  timestamp: time(batch.timestampMs),
  forgerAddr: batch.forgerAddr,
  collectedFees: Object.fromEntries(
    batch.collectedFees.map(([token, amount]) => [token, String(amount)])
  ),
  historicTotalCollectedFeesUSD: average(batch.historicTotalCollectedFeesUSD),
  stateRoot: String(batch.stateRoot),
  numAccounts: batch.numAccounts,
  exitRoot: String(batch.exitRoot),
  forgeL1TransactionsNum: batch.forgeL1TransactionsNum,
  slotNum: batch.slotNum
})

export const exitObject = ({ exit, token }: ExitView): Value => ({
  batchNum: exit.batchNum,
  accountIndex: index(token, exit.accountIndex),
  itemId: exit.itemId,
  merkleProof: {
    root: String(exit.merkleProof.root),
    siblings: exit.merkleProof.siblings.map(String),
    oldKey: String(exit.merkleProof.oldKey),
    oldValue: String(exit.merkleProof.oldValue),
    isOld0: exit.merkleProof.isOld0,
    key: String(exit.merkleProof.key),
    value: String(exit.merkleProof.value),
    fnc: exit.merkleProof.fnc
  },
  balance: String(exit.balance),
  instantWithdrawn: block(exit.instantWithdrawn),
  delayedWithdrawRequest: block(exit.delayedWithdrawRequest),
  delayedWithdrawn: block(exit.delayedWithdrawn),
  token: tokenObject(token)
})

export const coordinatorObject = (coordinator: Coordinator): Value => ({
  itemId: coordinator.itemId,
  forgerAddr: coordinator.forgerAddr,
  bidderAddr: coordinator.bidderAddr,
  URL: coordinator.url,
  ethereumBlock: block(coordinator.ethereumBlockNum)
})

export const bidObject = ({ bid, coordinator }: BidView): Value => ({
  itemId: bid.itemId,
  bidderAddr: bid.bidderAddr,
  forgerAddr: coordinator.forgerAddr,
  withdrawAddr: bid.withdrawAddr,
  slotNum: bid.slotNum,
  URL: coordinator.url,
  bidValue: String(bid.bidValue),
  ethereumBlockNum: block(bid.ethereumBlockNum),
  timestamp: time(bid.timestampMs)
})

export const slotObject = (slot: SlotView): Value => ({
  itemId: slot.slotNum,
  slotNum: slot.slotNum,
  firstBlock: block(slot.firstBlock),
  lastBlock: block(slot.lastBlock),
  openAuction: slot.openAuction,
  bestBid: slot.bestBid === null ? null : bidObject(slot.bestBid)
})

const bucketObject = (bucket: Bucket): Value => ({
  ceilUSD: String(bucket.ceilUSD),
  withdrawals: Number(bucket.withdrawals),
  blockWithdrawalRate: Number(bucket.blockWithdrawalRate),
  maxWithdrawals: Number(bucket.maxWithdrawals)
})

export const stateObject = ({ metrics, recommendedFee, variables, ...network }: NetworkState) => {
  const { auction, rollup, withdrawalDelayer } = variables
  return {
    network: {
      lastEthereumBlock: block(network.lastEthereumBlock),
      lastSynchedBlock: block(network.lastSynchedBlock),
      lastBatch: network.lastBatch === null ? null : batchObject(network.lastBatch),
      currentSlot: network.currentSlot,
      nextForgers: network.nextForgers.map(({ coordinator, period }) => ({
        coordinator: coordinatorObject(coordinator),
        period: {
          slotNum: period.slotNum,
          fromBlock: block(period.fromBlock),
          toBlock: block(period.toBlock),
          fromTimestamp: time(period.fromTimestampMs),
          toTimestamp: time(period.toTimestampMs)
        }
      }))
    },
    metrics: {
      transactionsPerBatch: average(metrics.transactionsPerBatch),
      batchFrequency: average(metrics.batchFrequency),
      transactionsPerSecond: average(metrics.transactionsPerSecond),
      totalAccounts: metrics.totalAccounts,
      totalBJJs: metrics.totalPublicKeys,
      avgTransactionFee: average(metrics.avgTransactionFee)
    },
    rollup: {
      ethereumBlockNum: block(rollup.ethereumBlockNum),
      forgeL1L2BatchTimeout: rollup.forgeL1L2BatchTimeout,
      feeAddToken: String(rollup.feeAddToken),
      withdrawalDelay: rollup.withdrawalDelay,
      buckets: rollup.buckets.map(bucketObject)
    },
    auction: {
      ethereumBlockNum: block(auction.ethereumBlockNum),
      bootCoordinator: auction.bootCoordinator,
      bootCoordinatorUrl: auction.bootCoordinatorUrl,
      slotDeadline: auction.slotDeadline,
      closedAuctionSlots: auction.closedAuctionSlots,
      openAuctionSlots: auction.openAuctionSlots,
      defaultSlotSetBid: auction.defaultSlotSetBid.map(String),
      outbidding: auction.outbidding,
      donationAddress: auction.donationAddress,
      allocationRatio: auction.allocationRatio
    },
    withdrawalDelayer: {
      ethereumBlockNum: block(withdrawalDelayer.ethereumBlockNum),
      governanceAddress: withdrawalDelayer.governanceAddress,
      emergencyCouncilAddress: withdrawalDelayer.emergencyCouncilAddress,
      withdrawalDelay: withdrawalDelayer.withdrawalDelay,
      emergencyModeStartingBlock: block(withdrawalDelayer.emergencyModeStartingBlock),
      emergencyMode: withdrawalDelayer.emergencyMode
    },
    recommendedFee: {
      existingAccount: average(recommendedFee.existingAccount),
      createAccount: average(recommendedFee.createAccount),
      createAccountInternal: average(recommendedFee.createAccountInternal)
    }
  }
}
