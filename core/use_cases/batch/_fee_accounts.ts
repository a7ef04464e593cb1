import { protocol } from "../../domain/mod.ts"
import { type BlockViolation, makeViolation } from "../violation/mod.ts"
import { type BatchOverlay, credit } from "./_batch_overlay.ts"
import type { BatchInput } from "./batch_transition.ts"

/** Greatest number of fee accounts in a batch. */
const feeAccountsMax = protocol.maxFeeIdxCoordinator

/** Sets the fee account of each token. */
export function openFeeAccounts(
  overlay: BatchOverlay,
  { feeAccounts }: BatchInput
): BlockViolation | undefined {
  if (feeAccounts.length > feeAccountsMax) {
    return makeViolation(
      "fee-account-count",
      feeAccounts.length,
      `at most ${feeAccountsMax}`,
      "/feeAccounts"
    )
  }
  for (const [position, index] of feeAccounts.entries()) {
    const account = overlay.find(index)
    if (account === undefined) {
      return makeViolation(
        "account-exists",
        index,
        "an existing account",
        `/feeAccounts/${position}`
      )
    }
    const other = overlay.feeAccounts.get(account.before.tokenId)
    if (other !== undefined) {
      const expected =
        `no second account of token ${account.before.tokenId} beside ${other.account.before.index}`
      return makeViolation("fee-account-token", index, expected, `/feeAccounts/${position}`)
    }
    overlay.feeAccounts.set(account.before.tokenId, { account, amount: 0n })
  }
  return undefined
}

/**
 * Credits the collected fees after the last transaction: a fee cannot be spent in the batch that
 * earns it.
 */
export function creditFees(
  overlay: BatchOverlay,
  { feeAccounts }: BatchInput
): BlockViolation | undefined {
  for (const { account, amount } of overlay.feeAccounts.values()) {
    const violation = credit(
      account,
      amount,
      () => `/feeAccounts/${feeAccounts.indexOf(account.before.index)}`
    )
    if (violation !== undefined) return violation
  }
  return undefined
}
