import { Result } from "effect"
import type { L2Feed } from "../../domain/mod.ts"
import {
  encodeFloat40,
  EXIT_ACCOUNT,
  feeAmount,
  isUserAccount,
  NO_ACCOUNT
} from "../../encoding/mod.ts"
import { type BlockViolation, type Invariant, makeViolation } from "../violation/mod.ts"
import { type StagedBatch, credit } from "./_staged_batch.ts"
import { type BatchInput, nonceMax } from "./batch_transition.ts"

/**
 * Applies the L2 transactions in order; stops at the first one that the state does not allow
 * (PROTOCOL.md "L2 transactions").
 */
export function applyL2Transactions(
  staged: StagedBatch,
  { l2 }: BatchInput
): BlockViolation | undefined {
  for (const [position, transaction] of l2.entries()) {
    const violation = apply(staged, transaction, position)
    if (violation !== undefined) return violation
  }
  return undefined
}

function apply(
  staged: StagedBatch,
  transaction: L2Feed,
  position: number
): BlockViolation | undefined {
  const { amount, fee, fromAccountIndex, toAccountIndex } = transaction
  // builds the pointer only for a violation: this function runs for every transaction
  const refuse = (invariant: Invariant, field: keyof L2Feed, expected: string) =>
    makeViolation(invariant, transaction[field] ?? null, expected, `/l2/${position}/${field}`)

  const sender = isUserAccount(fromAccountIndex) ? staged.find(fromAccountIndex) : undefined
  if (sender === undefined) {
    const expected = fromAccountIndex === NO_ACCOUNT
      ? "an existing account; an entry of the data availability with sender 0 is no transaction"
      : "an existing account"
    return refuse("account-exists", "fromAccountIndex", expected)
  }
  const { tokenId } = sender.before
  const { nonce } = sender
  if (transaction.nonce !== undefined && transaction.nonce !== nonce) {
    return refuse("nonce", "nonce", `${nonce}, the nonce of account ${fromAccountIndex}`)
  }
  if (nonce >= nonceMax) {
    const expected = `below ${nonceMax}, so that the next nonce fits in a leaf`
    return makeViolation("nonce", nonce, expected, `/l2/${position}/nonce`)
  }

  const receiver = isUserAccount(toAccountIndex) ? staged.find(toAccountIndex) : undefined
  // the circuit does not look at the receiver of nothing: it may not exist, or have another token
  if (amount > 0n) {
    if (toAccountIndex !== EXIT_ACCOUNT && receiver === undefined) {
      return refuse("account-exists", "toAccountIndex", "1 for an exit or an existing account")
    }
    if (receiver !== undefined && receiver.before.tokenId !== tokenId) {
      return refuse(
        "account-token",
        "toAccountIndex",
        `an account of token ${tokenId}, that of the sender`
      )
    }
  }

  const float = encodeFloat40(amount)
  if (Result.isFailure(float)) return refuse("amount", "amount", float.failure.rule)
  const charged = feeAmount(amount, fee)
  if (Result.isFailure(charged)) return refuse("fee", "fee", charged.failure.rule)
  const debit = amount + charged.success
  if (sender.balance < debit) {
    return refuse(
      "balance",
      "amount",
      `at most ${sender.balance} together with the fee of ${charged.success}, the balance of the sender`
    )
  }

  staged.l2.push({
    sender: sender.before,
    receiver: receiver?.before ?? null,
    tokenId,
    nonce,
    feeAmount: charged.success
  })
  sender.nonce = nonce + 1n
  sender.balance -= debit
  const collector = staged.feeAccounts.get(tokenId)
  // the fee of a token without fee account is burned
  if (collector !== undefined) collector.amount += charged.success
  if (toAccountIndex === EXIT_ACCOUNT) staged.addExit(sender.before.index, amount, amount)
  return receiver && credit(receiver, amount, () => `/l2/${position}/amount`)
}
