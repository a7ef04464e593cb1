import { Result } from "effect"
import {
  type BatchFeed,
  coordinatorL1Part,
  type L2Feed,
  l2TransactionType,
  type New,
  type Transaction,
  type Batch,
  type BatchChanges,
  protocol,
  slotOfBlock,
  transactionsPerBatchMax
} from "../../domain/mod.ts"
import { l1CoordinatorTransactionId, l2TransactionId, NO_ACCOUNT } from "../../encoding/mod.ts"
import { type BatchOutcome, type L2Resolution, processBatch } from "../batch/mod.ts"
import type { StagedBlock } from "./_staged_block.ts"
import {
  type BlockViolation,
  makeViolation,
  violationsIn,
  violationWithin
} from "../violation/mod.ts"
import { checkExits, checkRoots, exitRows } from "./_exits.ts"
import { checkEffects, forgedQueue, receiverOf, senderKeyOf, valueAt } from "./_queue.ts"

/**
 * Returns the history rows of coordinator L1 transactions: each is a deposit of zero into the
 * account that it creates.
 */
function coordinatorRows(
  staged: StagedBlock,
  batch: BatchFeed,
  { createdAccounts, l1UserEffects }: BatchOutcome
): Array<New<Transaction>> {
  const firstCreated = createdAccounts.length - batch.l1Coordinator.length
  return batch.l1Coordinator.map(({ address, publicKey, tokenId }, index) => {
    const position = l1UserEffects.length + index
    return {
      id: l1CoordinatorTransactionId(
        { batchNum: batch.batchNum, position },
        staged.rules.keccak256
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
      timestampMs: staged.block.timestampMs,
      l1: coordinatorL1Part({
        ethereumBlockNum: staged.block.number,
        ethereumTxHash: batch.ethereumTxHash ?? null
      }),
      l2: null
    }
  })
}

/** Returns the history rows of L2 transactions, numbered after the L1 transactions. */
function l2Rows(
  staged: StagedBlock,
  batch: BatchFeed,
  outcome: BatchOutcome
): Array<New<Transaction>> {
  const firstPosition = outcome.l1UserEffects.length + batch.l1Coordinator.length
  return outcome.l2.map((resolution, index) => {
    const feed = batch.l2[index]!
    const { nonce, tokenId } = resolution
    // cannot fail: `processBatch` has checked every field
    const id = Result.getOrThrow(
      l2TransactionId({ ...feed, nonce, tokenId }, staged.rules.keccak256)
    )
    return l2Row(staged, feed, resolution, {
      id,
      position: firstPosition + index,
      batchNum: batch.batchNum
    })
  })
}

function l2Row(
  staged: StagedBlock,
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
    historicUSD: valueAt(staged, tokenId, feed.amount),
    timestampMs: staged.block.timestampMs,
    l1: null,
    l2: {
      fee: feed.fee,
      historicFeeUSD: valueAt(staged, tokenId, feeAmount),
      nonce
    }
  }
}

/** Applies the batches of the block in order. */
export function forgeBatches(staged: StagedBlock): BlockViolation | undefined {
  for (const [index, batch] of (staged.block.batches ?? []).entries()) {
    const violation = forgeBatch(staged, batch)
    if (violation !== undefined) return violationWithin(violation, `/batches/${index}`)
  }
  return undefined
}

function forgeBatch(staged: StagedBlock, batch: BatchFeed): BlockViolation | undefined {
  if (batch.batchNum !== staged.lastBatchNum + 1) {
    const expected = `${staged.lastBatchNum + 1}, the next batch`
    return violationsIn(batch, "")("batch-number", "batchNum", expected)
  }
  const queue = forgedQueue(staged, batch)
  if ("invariant" in queue) return queue
  const size = queue.length + batch.l1Coordinator.length + batch.l2.length
  if (size > transactionsPerBatchMax) {
    return makeViolation("batch-size", size, `at most ${transactionsPerBatchMax}`, "")
  }
  const l1Size = queue.length + batch.l1Coordinator.length
  if (l1Size > protocol.maxL1Tx) {
    const expected = `at most ${protocol.maxL1Tx}, ${queue.length} of them from the forged queue`
    return makeViolation("l1-size", l1Size, expected, "/l1Coordinator")
  }
  const processed = processBatch(staged, { ...batch, queue })
  if (Result.isFailure(processed)) return processed.failure
  const outcome = processed.success
  const violation = checkRoots(batch) ?? checkEffects(batch, outcome.l1UserEffects) ??
    checkExits(batch, outcome.exits)
  if (violation !== undefined) return violation
  applyOutcome(staged, batch, queue, outcome)
  return undefined
}

function applyOutcome(
  staged: StagedBlock,
  batch: BatchFeed,
  queue: ReadonlyArray<New<Transaction>>,
  outcome: BatchOutcome
): void {
  staged.apply(outcome)
  const exits = exitRows(staged, batch, outcome.exits)
  for (const exit of exits) staged.setExit(exit)
  const forged = forgedRows(staged, queue, outcome)
  const transactions = [
    ...coordinatorRows(staged, batch, outcome),
    ...l2Rows(staged, batch, outcome)
  ]
  staged.batches.push({
    batch: {
      ...batchRow(staged, batch, outcome),
      forgedTransactions: forged.length + transactions.length
    },
    accounts: outcome.accounts,
    forged,
    transactions,
    exits
  })
  staged.lastBatchNum = batch.batchNum
  staged.lastForgedQueue = batch.forgeL1TransactionsNum ?? staged.lastForgedQueue
}

function batchRow(
  staged: StagedBlock,
  batch: BatchFeed,
  { collectedFees, createdAccounts }: BatchOutcome
): Omit<New<Batch>, "forgedTransactions"> {
  const { hash, number, timestampMs } = staged.block
  return {
    batchNum: batch.batchNum,
    ethereumBlockNum: number,
    ethereumBlockHash: hash,
    timestampMs,
    forgerAddr: batch.forgerAddr,
    collectedFees,
    historicTotalCollectedFeesUSD: collectedFees.reduce(
      (sum, [tokenId, amount]) => sum + (valueAt(staged, tokenId, amount) ?? 0),
      0
    ),
    stateRoot: batch.stateRoot,
    numAccounts: createdAccounts.length,
    exitRoot: batch.exitRoot,
    forgeL1TransactionsNum: batch.forgeL1TransactionsNum,
    slotNum: slotOfBlock(staged.rules.constants.auction, number),
    ethereumTxHash: batch.ethereumTxHash ?? null
  }
}

const forgedRows = (
  staged: StagedBlock,
  queue: ReadonlyArray<New<Transaction>>,
  { l1UserEffects }: BatchOutcome
): BatchChanges["forged"] =>
  queue.map((row, position) => {
    const { createdIndex, effectiveAmount, effectiveDepositAmount } = l1UserEffects[position]!
    return {
      id: row.id,
      fromAccountIndex: createdIndex ?? row.fromAccountIndex ?? NO_ACCOUNT,
      fromPublicKey: senderKeyOf(staged, row),
      ...receiverOf(staged, row.toAccountIndex),
      historicUSD: valueAt(staged, row.tokenId, row.amount),
      amountSuccess: effectiveAmount === row.amount,
      depositAmountSuccess: effectiveDepositAmount === row.l1?.depositAmount
    }
  })
