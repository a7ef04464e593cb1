import { Result } from "effect"
import type { BlockViolation } from "../violation/mod.ts"
import { createCoordinatorAccounts } from "./_coordinator_accounts.ts"
import { creditFees, openFeeAccounts } from "./_fee_accounts.ts"
import { applyL1UserTransactions } from "./_l1_user_transactions.ts"
import { applyL2Transactions } from "./_l2_transactions.ts"
import { BatchOverlay } from "./_batch_overlay.ts"
import type { BatchInput, BatchOutcome, BatchState } from "./batch_transition.ts"

/**
 * Computes the rollup's state transition for one batch: L1 user transactions by position,
 * coordinator L1 transactions, L2 transactions, then fees. Fails on the first transaction that no
 * circuit accepts, with a place inside the batch such as `/l2/3/nonce`. An L1 user transaction
 * never fails: its amounts become zero (domain §3.6).
 */
export function processBatch(
  state: BatchState,
  input: BatchInput
): Result.Result<BatchOutcome, BlockViolation> {
  const overlay = new BatchOverlay(state, input.batchNum)
  for (const step of STEPS) {
    const violated = step(overlay, input)
    if (violated !== undefined) return Result.fail(violated)
  }
  return Result.succeed(overlay.outcome())
}

// Fee accounts may be created by the same batch, but must be known before the first fee falls due.
const STEPS = [
  applyL1UserTransactions,
  createCoordinatorAccounts,
  openFeeAccounts,
  applyL2Transactions,
  creditFees
]
