import type { BatchFeed, New, Transaction } from "../../domain/mod.ts"
import type { L1UserEffect } from "../batch/mod.ts"
import { type BlockViolation, makeViolation } from "../violation/mod.ts"
import type { BlockOverlay } from "./_block_overlay.ts"

/**
 * Returns the transactions of the queue that a batch forges, by position. Pointers of violations
 * are relative to the batch.
 */
export function forgedQueue(
  overlay: BlockOverlay,
  batch: BatchFeed
): ReadonlyArray<New<Transaction>> | BlockViolation {
  const queue = batch.forgeL1TransactionsNum
  const rows = queue === null ? [] : rowsOf(overlay, queue)
  if ("invariant" in rows) return rows
  return batch.l1UserEffects.length === rows.length
    ? rows
    : makeViolation(
      "effect-count",
      batch.l1UserEffects.length,
      `${rows.length}, one for each transaction of the forged queue`,
      "/l1UserEffects"
    )
}

/** Compares the declared effects with the effects computed by domain §3.6. */
export function checkEffects(
  batch: BatchFeed,
  effects: ReadonlyArray<L1UserEffect>
): BlockViolation | undefined {
  for (const [position, { effectiveAmount, effectiveDepositAmount }] of effects.entries()) {
    const declared = batch.l1UserEffects[position]
    const pointer = `/l1UserEffects/${position}`
    if (declared?.effectiveDepositAmount !== effectiveDepositAmount) {
      return makeViolation(
        "effective-deposit",
        declared?.effectiveDepositAmount ?? null,
        String(effectiveDepositAmount),
        `${pointer}/effectiveDepositAmount`
      )
    }
    if (declared.effectiveAmount !== effectiveAmount) {
      return makeViolation(
        "effective-amount",
        declared.effectiveAmount,
        String(effectiveAmount),
        `${pointer}/effectiveAmount`
      )
    }
  }
  return undefined
}

function rowsOf(
  overlay: BlockOverlay,
  queue: number
): ReadonlyArray<New<Transaction>> | BlockViolation {
  const next = overlay.lastForgedQueue === null ? 0 : overlay.lastForgedQueue + 1
  if (queue !== next) {
    return makeViolation(
      "forged-queue",
      queue,
      `${next}, the one after the last forged queue`,
      "/forgeL1TransactionsNum"
    )
  }
  const added = overlay.queued.filter(({ l1 }) => l1?.toForgeL1TransactionsNum === queue)
  // the contract closes a queue when it forges the previous one
  if (added.length > 0 && overlay.batches.length === 0) {
    const expected =
      "a queue without transactions of this block, since it is the block's first batch"
    return makeViolation("queue-frozen", queue, expected, "/forgeL1TransactionsNum")
  }
  return [...overlay.view.queue(queue), ...added]
}
