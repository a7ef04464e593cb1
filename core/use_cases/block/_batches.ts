import { Result } from "effect"
import {
  type BatchFeed,
  coordinatorL1Part,
  type L2Feed,
  l2TransactionType,
  type New,
  type Transaction,
  valueUSD,
  type Batch,
  type BatchChanges,
  protocol,
  slotOfBlock,
  type TokenId,
  transactionsPerBatchMax
} from "../../domain/mod.ts"
import { l1CoordinatorTransactionId, l2TransactionId, NO_ACCOUNT } from "../../encoding/mod.ts"
import { type BatchOutcome, type L2Resolution, processBatch } from "../batch/mod.ts"
import type { BlockOverlay } from "./_block_overlay.ts"
import { type BlockViolation, makeViolation, violationWithin } from "../violation/mod.ts"
import { checkExits, checkProofs, checkRoots, exitRows } from "./_exits.ts"
import { checkEffects, forgedQueue, receiverOf, senderKeyOf } from "./_queue.ts"

/**
 * Returns the history rows of coordinator L1 transactions: each is a deposit of zero into the
 * account that it creates.
 */
function coordinatorRows(
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
      l1: coordinatorL1Part({
        ethereumBlockNum: overlay.block.number,
        ethereumTxHash: batch.ethereumTxHash ?? null
      }),
      l2: null
    }
  })
}

/** Returns the history rows of L2 transactions, numbered after the L1 transactions. */
function l2Rows(
  overlay: BlockOverlay,
  batch: BatchFeed,
  outcome: BatchOutcome
): Array<New<Transaction>> {
  const firstPosition = outcome.l1UserEffects.length + batch.l1Coordinator.length
  return outcome.l2.map((resolution, index) => {
    const feed = batch.l2[index]!
    const { nonce, tokenId } = resolution
    // cannot fail: `processBatch` has checked every field
    const id = Result.getOrThrow(
      l2TransactionId({ ...feed, nonce, tokenId }, overlay.rules.keccak256)
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
  { feeAmount, nonce, receiver, sender, tokenId }: L2Resolution,
  identity: Pick<Transaction, "id" | "position" | "batchNum">
): New<Transaction> {
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
    historicUSD: valueAt(overlay, tokenId, feed.amount),
    timestampMs: overlay.block.timestampMs,
    l1: null,
    l2: {
      fee: feed.fee,
      historicFeeUSD: valueAt(overlay, tokenId, feeAmount),
      nonce
    }
  }
}

/** Applies the batches of the block in order. */
export function forgeBatches(overlay: BlockOverlay): BlockViolation | undefined {
  for (const [index, batch] of (overlay.block.batches ?? []).entries()) {
    const violation = forgeBatch(overlay, batch)
    if (violation !== undefined) return violationWithin(violation, `/batches/${index}`)
  }
  return undefined
}

function forgeBatch(overlay: BlockOverlay, batch: BatchFeed): BlockViolation | undefined {
  if (batch.batchNum !== overlay.lastBatchNum + 1) {
    return makeViolation(
      "batch-number",
      batch.batchNum,
      `${overlay.lastBatchNum + 1}, the next batch`,
      "/batchNum"
    )
  }
  const queue = forgedQueue(overlay, batch)
  if ("invariant" in queue) return queue
  const size = queue.length + batch.l1Coordinator.length + batch.l2.length
  if (size > transactionsPerBatchMax) {
    return makeViolation("batch-size", size, `at most ${transactionsPerBatchMax}`, "")
  }
  const l1Size = queue.length + batch.l1Coordinator.length
  if (l1Size > protocol.maxL1Tx) {
    return makeViolation(
      "l1-size",
      l1Size,
      `at most ${protocol.maxL1Tx}, ${queue.length} of them from the forged queue`,
      "/l1Coordinator"
    )
  }
  const processed = processBatch(overlay, { ...batch, queue })
  if (Result.isFailure(processed)) return processed.failure
  const outcome = processed.success
  const violation = checkRoots(batch) ?? checkEffects(batch, outcome.l1UserEffects) ??
    checkExits(batch, outcome.exits) ?? checkProofs(overlay, batch, outcome)
  if (violation !== undefined) return violation
  applyOutcome(overlay, batch, queue, outcome)
  return undefined
}

function applyOutcome(
  overlay: BlockOverlay,
  batch: BatchFeed,
  queue: ReadonlyArray<New<Transaction>>,
  outcome: BatchOutcome
): void {
  overlay.settle(outcome)
  const exits = exitRows(overlay, batch, outcome.exits)
  for (const exit of exits) overlay.setExit(exit)
  const forged = forgedRows(overlay, queue, outcome)
  const transactions = [
    ...coordinatorRows(overlay, batch, outcome),
    ...l2Rows(overlay, batch, outcome)
  ]
  overlay.batches.push({
    batch: {
      ...batchRow(overlay, batch, outcome),
      forgedTransactions: forged.length + transactions.length
    },
    accounts: outcome.createdAccounts,
    accountUpdates: outcome.accountUpdates,
    forged,
    transactions,
    exits
  })
  overlay.lastBatchNum = batch.batchNum
  overlay.lastForgedQueue = batch.forgeL1TransactionsNum ?? overlay.lastForgedQueue
}

function batchRow(
  overlay: BlockOverlay,
  batch: BatchFeed,
  { collectedFees, createdAccounts }: BatchOutcome
): Omit<New<Batch>, "forgedTransactions"> {
  const { hash, number, timestampMs } = overlay.block
  return {
    batchNum: batch.batchNum,
    ethereumBlockNum: number,
    ethereumBlockHash: hash,
    timestampMs,
    forgerAddr: batch.forgerAddr,
    collectedFees,
    historicTotalCollectedFeesUSD: collectedFees.reduce(
      (sum, [tokenId, amount]) => sum + (valueAt(overlay, tokenId, amount) ?? 0),
      0
    ),
    stateRoot: batch.stateRoot,
    numAccounts: createdAccounts.length,
    exitRoot: batch.exitRoot,
    forgeL1TransactionsNum: batch.forgeL1TransactionsNum,
    slotNum: slotOfBlock(overlay.rules.constants.auction, number),
    ethereumTxHash: batch.ethereumTxHash ?? null
  }
}

/** Returns the value in US dollars in this block; null for a token without price. */
function valueAt(overlay: BlockOverlay, tokenId: TokenId, amount: bigint): number | null {
  const token = overlay.token(tokenId)
  return token === undefined ? null : valueUSD(token, amount)
}

const forgedRows = (
  overlay: BlockOverlay,
  queue: ReadonlyArray<New<Transaction>>,
  { l1UserEffects }: BatchOutcome
): BatchChanges["forged"] =>
  queue.map((row, position) => {
    const { createdIndex, effectiveAmount, effectiveDepositAmount } = l1UserEffects[position]!
    return {
      id: row.id,
      fromAccountIndex: createdIndex ?? row.fromAccountIndex ?? NO_ACCOUNT,
      fromPublicKey: senderKeyOf(overlay, row),
      ...receiverOf(overlay, row.toAccountIndex),
      historicUSD: valueAt(overlay, row.tokenId, row.amount),
      amountSuccess: effectiveAmount === row.amount,
      depositAmountSuccess: effectiveDepositAmount === row.l1?.depositAmount
    }
  })
