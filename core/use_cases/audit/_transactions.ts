import { l1TransactionType, type New, type Transaction } from "../../domain/mod.ts"
import { l1UserTransactionId, NO_ACCOUNT } from "../../encoding/mod.ts"
import { coordinatorRow, forgedRow, l2Row } from "../block/mod.ts"
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
    findings.sameMembers("transactions", () => locationOf(row), row, {
      position,
      batchNum: batch.batchNum
    })
  }
  for (const [position, row] of kinds.user.entries()) auditUser(audit, row, position)
  for (const [position, row] of kinds.coordinator.entries()) auditCoordinator(audit, row, position)
  for (const [position, row] of kinds.l2.entries()) auditL2(audit, row, position)
}

const locationOf = ({ batchNum, id, itemId }: Transaction): string =>
  `transaction ${id} (item ${itemId}, batch ${batchNum})`

/** Compares a forged user transaction with its effect. Its other fields are those of the feed. */
function auditUser(audit: BatchAudit, row: Transaction, position: number): void {
  const { evidence, findings, keccak256, outcome } = audit
  const queue = evidence.batch.forgeL1TransactionsNum
  const queued = queuedRow(row)
  const effect = outcome.l1UserEffects[position]!
  const account = (index: number) => accountOf(audit, index)
  findings.sameMembers("transactions", () => locationOf(row), membersOf(row), {
    ...membersOf(forgedRow(evidence.batch.batchNum, queued, effect, account, () => null)),
    type: l1TransactionType(
      queued.fromAccountIndex ?? NO_ACCOUNT,
      row.toAccountIndex,
      row.l1?.depositAmount ?? 0n
    ),
    id: l1UserTransactionId({ toForgeL1TransactionsNum: queue ?? 0, position }, keccak256),
    toForgeL1TransactionsNum: queue
  })
}

/**
 * Returns the fields of a transaction, and those of its L1 and L2 part, without the value in US
 * dollars and the position, which were compared before.
 */
const membersOf = (
  { batchNum: _1, historicUSD: _2, l1, l2, position: _3, ...row }: New<Transaction>
) => ({ ...row, ...l1, ...l2 })

function auditCoordinator(audit: BatchAudit, row: Transaction, at: number): void {
  const { evidence: { batch }, findings, input, keccak256, kinds: { user }, outcome } = audit
  const place = { batch, position: user.length + at }
  const created = outcome.createdAccounts.at(at - input.l1Coordinator.length)!.index
  const expected = coordinatorRow(place, input.l1Coordinator[at]!, created, keccak256)
  findings.sameMembers(
    "transactions",
    () => locationOf(row),
    membersOf(row),
    membersOf(expected)
  )
}

function auditL2(audit: BatchAudit, row: Transaction, at: number): void {
  const { evidence: { batch }, findings, input, keccak256, outcome } = audit
  const place = { batch, position: row.position }
  const resolution = outcome.l2[at]!
  const expected = l2Row(place, input.l2[at]!, resolution, () => null, keccak256)
  findings.sameMembers("transactions", () => locationOf(row), membersOf(row), {
    ...membersOf(expected),
    historicFeeUSD: expectedFeeUSD(row, resolution.feeAmount)
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
