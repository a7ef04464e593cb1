import { Result } from "effect"
import type { BlockViolation } from "../violation/mod.ts"
import { createCoordinatorAccounts } from "./_coordinator_accounts.ts"
import { creditFees, openFeeAccounts } from "./_fee_accounts.ts"
import { applyL1UserTransactions } from "./_l1_user_transactions.ts"
import { applyL2Transactions } from "./_l2_transactions.ts"
import { BatchOverlay } from "./_batch_overlay.ts"
import type { BatchInput, BatchOutcome, BatchState } from "./batch_transition.ts"

/**
 * Computes the state transition of the rollup for one batch: L1 user transactions by position,
 * coordinator L1 transactions, L2 transactions, then fees. Fails with the first transaction that no
 * circuit accepts; its pointer, such as `/l2/3/nonce`, is relative to the batch. An L1 user
 * transaction never fails: its amounts become zero (domain §3.6).
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { INTERNAL_ADDRESS, ether, processBatch } from "rollup-node-api"
 *
 * const owner = { publicKey: "00", address: INTERNAL_ADDRESS }
 * const sender = { index: 256, tokenId: 0, batchNum: 1, ...owner, nonce: 0n, balance: 10n }
 * const state = { account: () => sender, token: () => ether, lastAccountIndex: 256 }
 * const exit = { fromAccountIndex: 256, toAccountIndex: 1, amount: 7n, fee: 0, nonce: 0n }
 * const batch = { batchNum: 2, queue: [], l1Coordinator: [], l2: [exit], feeAccounts: [] }
 * const { exits } = Result.getOrThrow(processBatch(state, batch))
 * console.log(exits) // => [ { accountIndex: 256, balance: 7n } ]
 * const failed = processBatch(state, { ...batch, l2: [exit, exit] })
 * if (Result.isFailure(failed)) console.log(failed.failure.pointer) // => /l2/1/nonce
 * ```
 */
export function processBatch(
  state: BatchState,
  input: BatchInput
): Result.Result<BatchOutcome, BlockViolation> {
  const overlay = new BatchOverlay(state, input.batchNum)
  for (const step of STEPS) {
    const violation = step(overlay, input)
    if (violation !== undefined) return Result.fail(violation)
  }
  return Result.succeed(overlay.outcome())
}

// The batch can create a fee account, which must exist before the first fee is charged.
const STEPS = [
  applyL1UserTransactions,
  createCoordinatorAccounts,
  openFeeAccounts,
  applyL2Transactions,
  creditFees
]
