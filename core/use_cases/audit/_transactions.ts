import { Result } from "effect"
import {
  coordinatorL1Part,
  l1TransactionType,
  l2TransactionType,
  type Transaction
} from "../../domain/mod.ts"
import {
  isUserAccount,
  l1CoordinatorTransactionId,
  l1UserTransactionId,
  l2TransactionId,
  NO_ACCOUNT
} from "../../encoding/mod.ts"
import { accountOf, type BatchAudit, queuedRow } from "./_batch_evidence.ts"

/**
 * Compares the stored transactions of a batch with the computed ones. If they are not in order, it
 * reports only that.
 */
export function auditTransactions(audit: BatchAudit): void {
  const { evidence: { batch, transactions }, findings, kinds } = audit
  findings.checked("transactions", transactions.length)
  const inOrder = [...kinds.user, ...kinds.coordinator, ...kinds.l2]
  const misplaced = transactions.findIndex((row, position) => row !== inOrder[position])
  if (misplaced >= 0) {
    findings.violate(
      "transactions",
      locationOf(transactions[misplaced]!),
      "its position in the batch",
      "L1 user transactions, L1 coordinator transactions and L2 transactions, in this order"
    )
    return
  }
  for (const [position, row] of inOrder.entries()) {
    findings.sameMembers("transactions", () => locationOf(row), {
      position: row.position,
      batchNum: row.batchNum
    }, { position, batchNum: batch.batchNum })
  }
  for (const [position, row] of kinds.user.entries()) auditUser(audit, row, position)
  auditCoordinator(audit)
  for (const [position, row] of kinds.l2.entries()) auditL2(audit, row, position)
}

const locationOf = ({ batchNum, id, itemId }: Transaction): string =>
  `transaction ${id} (item ${itemId}, batch ${batchNum})`

const noOwner = { address: null, publicKey: null }

/** Compares a forged user transaction with its effect. Its other fields are those of the feed. */
function auditUser(audit: BatchAudit, row: Transaction, position: number): void {
  const { evidence, findings, keccak256, outcome } = audit
  const queue = evidence.batch.forgeL1TransactionsNum
  const { createdIndex, effectiveAmount, effectiveDepositAmount } = outcome.l1UserEffects[position]!
  const { fromAccountIndex } = queuedRow(row)
  const ownerOf = (index: number) =>
    (isUserAccount(index) ? accountOf(audit, index) : undefined) ?? noOwner
  const receiver = ownerOf(row.toAccountIndex)
  findings.sameMembers("transactions", () => locationOf(row), membersOf(row), {
    type: l1TransactionType(
      fromAccountIndex ?? NO_ACCOUNT,
      row.toAccountIndex,
      row.l1?.depositAmount ?? 0n
    ),
    id: l1UserTransactionId({ toForgeL1TransactionsNum: queue ?? 0, position }, keccak256),
    toForgeL1TransactionsNum: queue,
    fromAccountIndex: createdIndex ?? fromAccountIndex ?? NO_ACCOUNT,
    fromPublicKey: fromAccountIndex === null
      ? row.fromPublicKey
      : ownerOf(fromAccountIndex).publicKey,
    toAddress: receiver.address,
    toPublicKey: receiver.publicKey,
    amountSuccess: effectiveAmount === row.amount,
    depositAmountSuccess: effectiveDepositAmount === row.l1?.depositAmount
  })
}

/** Returns the fields of a transaction and of its L1 part. */
const membersOf = (
  { batchNum: _1, historicUSD: _2, itemId: _3, l1, l2: _4, position: _5, ...row }: Transaction
) => ({ ...row, ...l1 })

function auditCoordinator(audit: BatchAudit): void {
  const { evidence: { batch }, findings, keccak256, kinds: { coordinator, user } } = audit
  const { createdAccounts } = audit.outcome
  const firstCreated = createdAccounts.length - coordinator.length
  for (const [i, row] of coordinator.entries()) {
    const id = l1CoordinatorTransactionId({
      batchNum: batch.batchNum,
      position: user.length + i
    }, keccak256)
    findings.sameMembers("transactions", () => locationOf(row), membersOf(row), {
      id,
      type: "CreateAccountDeposit",
      fromAccountIndex: createdAccounts[firstCreated + i]!.index,
      toAccountIndex: NO_ACCOUNT,
      toAddress: null,
      toPublicKey: null,
      amount: 0n,
      timestampMs: batch.timestampMs,
      ...coordinatorL1Part(batch)
    })
  }
}

function auditL2(
  { evidence: { batch }, findings, keccak256, outcome }: BatchAudit,
  row: Transaction,
  position: number
): void {
  const { amount, fromAccountIndex, l2 } = row
  const { feeAmount, receiver, sender, tokenId } = outcome.l2[position]!
  const { fee, historicFeeUSD, nonce } = l2!
  const id = l2TransactionId(
    { fromAccountIndex: fromAccountIndex!, tokenId, amount, nonce, fee },
    keccak256
  )
  findings.sameMembers("transactions", () => locationOf(row), {
    ...membersOf(row),
    id: row.id,
    historicFeeUSD
  }, {
    id: Result.getOrElse(id, () => "the hash of its fields"),
    type: l2TransactionType(row.toAccountIndex),
    tokenId,
    fromAddress: sender.address,
    fromPublicKey: sender.publicKey,
    toAddress: receiver?.address ?? null,
    toPublicKey: receiver?.publicKey ?? null,
    timestampMs: batch.timestampMs,
    historicFeeUSD: expectedFeeUSD(row, feeAmount)
  })
}

/** Greatest relative difference of two roundings of a value. */
const roundingMax = 1e-14

/**
 * Returns the stored value of a fee if it has the price of the amount, otherwise about the value
 * with that price: stores do not record prices.
 */
function expectedFeeUSD(
  { amount, historicUSD, l2 }: Transaction,
  feeAmount: bigint
): number | null {
  if (historicUSD === null || feeAmount === 0n) return null
  const expected = historicUSD * (Number(feeAmount) / Number(amount))
  const stored = l2?.historicFeeUSD ?? 0
  return Math.abs(stored - expected) <= roundingMax * expected ? stored : expected
}
