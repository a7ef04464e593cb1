import { EXIT_ACCOUNT, isUserAccount, NO_ACCOUNT } from "../../encoding/mod.ts"
import type { BlockViolation } from "../violation/mod.ts"
import { type StagedBatch, credit, type StagedAccount } from "./_staged_batch.ts"
import type { BatchInput, QueuedTransaction } from "./batch_transition.ts"

/** Applies the forged queue by position. An amount that has no effect becomes zero. */
export function applyL1UserTransactions(
  staged: StagedBatch,
  { queue }: BatchInput
): BlockViolation | undefined {
  for (const [position, transaction] of queue.entries()) {
    const violation = apply(staged, transaction, position)
    if (violation !== undefined) return violation
  }
  return undefined
}

interface EffectiveAmounts {
  readonly deposit: bigint
  readonly amount: bigint
}

const NO_EFFECT: EffectiveAmounts = { deposit: 0n, amount: 0n }

const createsAccount = ({ fromAccountIndex }: QueuedTransaction): boolean =>
  fromAccountIndex === null || fromAccountIndex === NO_ACCOUNT

function apply(
  staged: StagedBatch,
  transaction: QueuedTransaction,
  position: number
): BlockViolation | undefined {
  const { deposit, amount } = effectiveAmounts(staged, transaction)
  const creates = createsAccount(transaction)
  const sender = creates
    ? create(staged, transaction)
    : staged.find(transaction.fromAccountIndex ?? NO_ACCOUNT)
  staged.l1UserEffects.push({
    effectiveDepositAmount: deposit,
    effectiveAmount: amount,
    createdIndex: creates && sender !== undefined ? sender.before.index : null
  })
  // without a sender both amounts are zero
  if (sender === undefined) return undefined
  const pointer = () => `/l1UserEffects/${position}`
  return credit(sender, deposit, pointer) ?? transfer(staged, sender, transaction, amount, pointer)
}

function transfer(
  staged: StagedBatch,
  sender: StagedAccount,
  { amount: declared, toAccountIndex }: QueuedTransaction,
  amount: bigint,
  pointer: () => string
): BlockViolation | undefined {
  sender.balance -= amount
  if (toAccountIndex === EXIT_ACCOUNT) {
    staged.addExit(sender.before.index, declared, amount)
    return undefined
  }
  if (toAccountIndex === NO_ACCOUNT || amount === 0n) return undefined
  const receiver = staged.find(toAccountIndex)
  return receiver === undefined ? undefined : credit(receiver, amount, pointer)
}

/** Returns the effective amounts (PROTOCOL.md "Effective amounts"). */
function effectiveAmounts(staged: StagedBatch, transaction: QueuedTransaction): EffectiveAmounts {
  const { amount, fromAccountIndex, fromAddress, tokenId } = transaction
  const deposit = transaction.l1?.depositAmount ?? 0n
  if (createsAccount(transaction)) return effectiveOfCreation(staged, transaction, deposit)
  const sender = staged.find(fromAccountIndex ?? NO_ACCOUNT)
  if (sender === undefined || sender.before.tokenId !== tokenId) return NO_EFFECT
  if (amount > sender.balance + deposit) return { deposit, amount: 0n }
  const allowed = sender.before.address === fromAddress ? amount : 0n
  if (!isTransfer(transaction)) return { deposit, amount: allowed }
  return effectiveOfTransfer(staged, transaction, { deposit, amount: allowed })
}

function effectiveOfCreation(
  staged: StagedBatch,
  transaction: QueuedTransaction,
  deposit: bigint
): EffectiveAmounts {
  const { amount } = transaction
  // a new account has nothing that could leave: an exit with its creation has no effect
  if (!isTransfer(transaction) || amount > deposit) return { deposit, amount: 0n }
  return effectiveOfTransfer(staged, transaction, { deposit, amount })
}

/**
 * Returns the effective amounts of a transfer. Both are zero if the receiver does not exist; only
 * the amount is zero if the receiver has another token.
 */
function effectiveOfTransfer(
  staged: StagedBatch,
  transaction: QueuedTransaction,
  effective: EffectiveAmounts
): EffectiveAmounts {
  const receiver = isUserAccount(transaction.toAccountIndex)
    ? staged.find(transaction.toAccountIndex)
    : undefined
  if (receiver === undefined) return NO_EFFECT
  return receiver.before.tokenId === transaction.tokenId
    ? effective
    : { deposit: effective.deposit, amount: 0n }
}

const isTransfer = ({ toAccountIndex }: QueuedTransaction): boolean =>
  toAccountIndex !== NO_ACCOUNT && toAccountIndex !== EXIT_ACCOUNT

function create(
  staged: StagedBatch,
  { fromAddress, fromPublicKey, id, tokenId }: QueuedTransaction
): StagedAccount {
  // cannot happen: the queue was checked when it was filled
  if (fromAddress === null || fromPublicKey === null) {
    throw new Error(`L1 transaction ${id} creates an account without owner or key`)
  }
  return staged.create({ tokenId, publicKey: fromPublicKey, address: fromAddress })
}
