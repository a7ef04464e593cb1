import { Result } from "effect"
import {
  type BatchFeed,
  type L2Feed,
  l2TransactionType,
  type New,
  type Transaction,
  valueUSD
} from "../../domain/mod.ts"
import {
  feeFactor,
  l1CoordinatorTransactionId,
  l2TransactionId,
  NO_ACCOUNT
} from "../../encoding/mod.ts"
import type { BatchOutcome, L2Resolution } from "../batch/mod.ts"
import type { BlockOverlay } from "./_block_overlay.ts"

/**
 * Returns the history rows of coordinator L1 transactions: each is a deposit of zero into the
 * account that it creates.
 */
export function coordinatorRows(
  overlay: BlockOverlay,
  batch: BatchFeed,
  { createdAccounts, l1UserEffects }: BatchOutcome
): Array<New<Transaction>> {
  const firstCreated = createdAccounts.length - batch.l1Coordinator.length
  return batch.l1Coordinator.map(({ address, publicKey, tokenId }, index) => {
    const position = l1UserEffects.length + index
    return {
      id: l1CoordinatorTransactionId(
        { batchNum: batch.batchNum, position },
        overlay.rules.keccak256
      ),
      type: "CreateAccountDeposit",
      position,
      fromAccountIndex: createdAccounts[firstCreated + index]!.index,
      fromAddress: address,
      fromPublicKey: publicKey,
      toAccountIndex: NO_ACCOUNT,
      toAddress: null,
      toPublicKey: null,
      tokenId,
      amount: 0n,
      batchNum: batch.batchNum,
      historicUSD: null,
      timestampMs: overlay.block.timestampMs,
      l1: {
        toForgeL1TransactionsNum: null,
        userOrigin: false,
        depositAmount: 0n,
        // amounts of zero count as success (domain §3.6)
        amountSuccess: true,
        depositAmountSuccess: true,
        historicDepositAmountUSD: null,
        ethereumBlockNum: overlay.block.number
      },
      l2: null
    }
  })
}

/** Returns the history rows of L2 transactions, numbered after the L1 transactions. */
export function l2Rows(
  overlay: BlockOverlay,
  batch: BatchFeed,
  outcome: BatchOutcome
): Array<New<Transaction>> {
  const firstPosition = outcome.l1UserEffects.length + batch.l1Coordinator.length
  return outcome.l2.map((resolution, index) => {
    const feed = batch.l2[index]!
    // cannot fail: `processBatch` has checked every field
    const id = Result.getOrThrow(
      l2TransactionId({ ...feed, tokenId: resolution.tokenId }, overlay.rules.keccak256)
    )
    return l2Row(overlay, feed, resolution, {
      id,
      position: firstPosition + index,
      batchNum: batch.batchNum
    })
  })
}

function l2Row(
  overlay: BlockOverlay,
  feed: L2Feed,
  { receiver, sender, tokenId }: L2Resolution,
  identity: Pick<Transaction, "id" | "position" | "batchNum">
): New<Transaction> {
  const token = overlay.token(tokenId)
  // the value in US dollars is finite even with the greatest price and the greatest factor
  const historicUSD = token === undefined ? null : valueUSD(token, feed.amount)
  return {
    id: identity.id,
    type: l2TransactionType(feed.toAccountIndex),
    position: identity.position,
    fromAccountIndex: feed.fromAccountIndex,
    fromAddress: sender.address,
    fromPublicKey: sender.publicKey,
    toAccountIndex: feed.toAccountIndex,
    toAddress: receiver === null ? null : receiver.address,
    toPublicKey: receiver === null ? null : receiver.publicKey,
    tokenId,
    amount: feed.amount,
    batchNum: identity.batchNum,
    historicUSD,
    timestampMs: overlay.block.timestampMs,
    l1: null,
    l2: {
      fee: feed.fee,
      historicFeeUSD: historicUSD === null || feed.fee === 0
        ? null
        : historicUSD * feeFactor(feed.fee),
      nonce: feed.nonce
    }
  }
}
