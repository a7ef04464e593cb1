import { INTERNAL_ADDRESS } from "../../encoding/mod.ts"
import { type BlockViolation, makeViolation } from "../violation/mod.ts"
import { StagedBatch, credit } from "./_staged_batch.ts"
import type { BatchInput, BatchOutcome, BatchState } from "./batch_transition.ts"
import { protocol } from "../../domain/mod.ts"
import { Result } from "effect"
import { applyL1UserTransactions } from "./_l1_user_transactions.ts"
import { applyL2Transactions } from "./_l2_transactions.ts"

/** Creates the accounts of the coordinator's L1 transactions. It does not verify signatures. */
function createCoordinatorAccounts(
  staged: StagedBatch,
  { l1Coordinator }: BatchInput
): BlockViolation | undefined {
  for (const [position, { address, publicKey, signature, tokenId }] of l1Coordinator.entries()) {
    const pointer = `/l1Coordinator/${position}`
    if (staged.state.token(tokenId) === undefined) {
      return makeViolation("token-exists", tokenId, "a registered token", `${pointer}/tokenId`)
    }
    const internal = address === INTERNAL_ADDRESS
    if (internal !== (signature === null)) {
      const expected = internal ? "none, because the account is internal" : `one by ${address}`
      return makeViolation("signature", signature, expected, `${pointer}/signature`)
    }
    staged.create({ tokenId, publicKey, address })
  }
  return undefined
}

/**
 * Sets the fee account of each token: the first one of the token. Others of the same token collect
 * nothing, also if an account is repeated.
 */
function openFeeAccounts(
  staged: StagedBatch,
  { feeAccounts }: BatchInput
): BlockViolation | undefined {
  const countMax = protocol.maxFeeIdxCoordinator
  if (feeAccounts.length > countMax) {
    const expected = `at most ${countMax}`
    return makeViolation("fee-account-count", feeAccounts.length, expected, "/feeAccounts")
  }
  for (const [position, index] of feeAccounts.entries()) {
    const account = staged.find(index)
    if (account === undefined) {
      const pointer = `/feeAccounts/${position}`
      return makeViolation("account-exists", index, "an existing account", pointer)
    }
    const { tokenId } = account.before
    if (!staged.feeAccounts.has(tokenId)) staged.feeAccounts.set(tokenId, { account, amount: 0n })
  }
  return undefined
}

/**
 * Credits the collected fees after the last transaction: a fee cannot be spent in the batch that
 * earns it.
 */
function creditFees(
  staged: StagedBatch,
  { feeAccounts }: BatchInput
): BlockViolation | undefined {
  for (const { account, amount } of staged.feeAccounts.values()) {
    const violation = credit(
      account,
      amount,
      () => `/feeAccounts/${feeAccounts.indexOf(account.before.index)}`
    )
    if (violation !== undefined) return violation
  }
  return undefined
}

/**
 * Computes the state transition of the rollup for one batch: L1 user transactions by position,
 * coordinator L1 transactions, L2 transactions, then fees. Fails with the first transaction that no
 * circuit accepts; its pointer, such as `/l2/3/nonce`, is relative to the batch. An L1 user
 * transaction never fails: its amounts become zero.
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
  const staged = new StagedBatch(state, input.batchNum)
  for (const step of STEPS) {
    const violation = step(staged, input)
    if (violation !== undefined) return Result.fail(violation)
  }
  return Result.succeed(staged.outcome())
}

// The batch can create a fee account, which must exist before the first fee is charged.
const STEPS = [
  applyL1UserTransactions,
  createCoordinatorAccounts,
  openFeeAccounts,
  applyL2Transactions,
  creditFees
]
