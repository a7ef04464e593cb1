import { Result } from "effect"
import {
  type Batch,
  type BatchChanges,
  type BatchFeed,
  type New,
  protocol,
  slotOfBlock,
  type TokenId,
  type Transaction,
  transactionsPerBatchMax,
  valueUSD
} from "../../domain/mod.ts"
import { NO_ACCOUNT } from "../../encoding/mod.ts"
import { type BatchOutcome, processBatch } from "../batch/mod.ts"
import { type BlockViolation, makeViolation, violationWithin } from "../violation/mod.ts"
import { coordinatorRows, l2Rows } from "./_batch_rows.ts"
import type { BlockOverlay } from "./_block_overlay.ts"
import { checkExits, checkProofs, checkRoots, exitRows } from "./_exits.ts"
import { checkEffects, forgedQueue } from "./_forged_queue.ts"
import { receiverOf, senderKeyOf } from "./_queue.ts"

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
      `${overlay.lastBatchNum + 1}, the one after the last batch`,
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
  const exits = exitRows(overlay, batch)
  for (const exit of exits) overlay.setExit(exit)
  overlay.batches.push({
    batch: batchRow(overlay, batch, outcome),
    accounts: outcome.createdAccounts,
    accountUpdates: outcome.accountUpdates,
    forged: forgedRows(overlay, queue, outcome),
    transactions: [...coordinatorRows(overlay, batch, outcome), ...l2Rows(overlay, batch, outcome)],
    exits
  })
  overlay.lastBatchNum = batch.batchNum
  overlay.lastForgedQueue = batch.forgeL1TransactionsNum ?? overlay.lastForgedQueue
}

function batchRow(
  overlay: BlockOverlay,
  batch: BatchFeed,
  { collectedFees, createdAccounts }: BatchOutcome
): New<Batch> {
  const { hash, number, timestampMs } = overlay.block
  return {
    batchNum: batch.batchNum,
    ethereumBlockNum: number,
    ethereumBlockHash: hash,
    timestampMs,
    forgerAddr: batch.forgerAddr,
    collectedFees,
    historicTotalCollectedFeesUSD: collectedFees.reduce(
      (sum, [tokenId, amount]) => sum + valueInUSD(overlay, tokenId, amount),
      0
    ),
    stateRoot: batch.stateRoot,
    numAccounts: createdAccounts.length,
    exitRoot: batch.exitRoot,
    forgeL1TransactionsNum: batch.forgeL1TransactionsNum,
    slotNum: slotOfBlock(overlay.rules.constants.auction, number)
  }
}

/** Returns the value in US dollars; 0 for a token without price. */
function valueInUSD(overlay: BlockOverlay, tokenId: TokenId, amount: bigint): number {
  const token = overlay.token(tokenId)
  return (token === undefined ? null : valueUSD(token, amount)) ?? 0
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
      amountSuccess: effectiveAmount === row.amount,
      depositAmountSuccess: effectiveDepositAmount === row.l1?.depositAmount
    }
  })
