import { Result } from "effect"
import { coordinatorL1Part, l2TransactionType, type Transaction } from "../../domain/mod.ts"
import {
  isUserAccount,
  type Keccak256,
  l1CoordinatorTransactionId,
  l2TransactionId,
  NO_ACCOUNT
} from "../../encoding/mod.ts"
import type { BatchOutcome } from "../batch/mod.ts"
import type { BatchEvidence } from "./balance_book.ts"
import type { Findings } from "./findings.ts"

/** The transactions of a batch by kind, in order. */
export interface TransactionsByKind {
  readonly user: ReadonlyArray<Transaction>
  readonly coordinator: ReadonlyArray<Transaction>
  readonly l2: ReadonlyArray<Transaction>
}

/**
 * Compares the stored transactions of a batch with the computed ones. Reports a violation and
 * returns false, and compares nothing, if they are not in order.
 */
export function auditTransactions(
  keccak256: Keccak256,
  evidence: BatchEvidence,
  kinds: TransactionsByKind,
  outcome: BatchOutcome,
  findings: Findings
): boolean {
  const { batch, transactions } = evidence
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
    return false
  }
  for (const [position, row] of inOrder.entries()) {
    findings.sameMembers("transactions", () => locationOf(row), {
      position: row.position,
      batchNum: row.batchNum
    }, { position, batchNum: batch.batchNum })
  }
  kinds.user.forEach((row, position) =>
    auditUser(evidence, row, outcome.l1UserEffects[position]!, findings)
  )
  auditCoordinator(keccak256, evidence, kinds, outcome, findings)
  kinds.l2.forEach((row, position) =>
    auditL2(keccak256, evidence, row, outcome.l2[position]!, findings)
  )
  return true
}

const locationOf = ({ batchNum, id, itemId }: Transaction): string =>
  `transaction ${id} (item ${itemId}, batch ${batchNum})`

const noOwner = { address: null, publicKey: null }

/** Returns the owner of an account that exists before the batch or that the batch creates. */
const ownerOf = ({ before, created }: BatchEvidence, index: number) =>
  (isUserAccount(index)
    ? before(index) ?? created.find((account) => account.index === index)
    : undefined) ?? noOwner

function auditUser(
  evidence: BatchEvidence,
  row: Transaction,
  effect: BatchOutcome["l1UserEffects"][number],
  findings: Findings
): void {
  const queued = evidence.queued(row.id)
  if (queued === undefined) return
  const receiver = ownerOf(evidence, row.toAccountIndex)
  const { depositAmount } = queued.l1 ?? {}
  findings.sameMembers("transactions", () => locationOf(row), membersOf(row), {
    ...membersOf(queued),
    fromAccountIndex: effect.createdIndex ?? queued.fromAccountIndex ?? NO_ACCOUNT,
    fromPublicKey: queued.fromPublicKey ??
      ownerOf(evidence, queued.fromAccountIndex ?? NO_ACCOUNT).publicKey,
    toAddress: receiver.address,
    toPublicKey: receiver.publicKey,
    amountSuccess: effect.effectiveAmount === queued.amount,
    depositAmountSuccess: effect.effectiveDepositAmount === depositAmount
  })
}

/** Returns the fields that a queued transaction and its forged row share, unless it changes them. */
const membersOf = (
  { batchNum: _1, historicUSD: _2, itemId: _3, l1, l2: _4, position: _5, ...row }: Transaction
) => ({ ...row, ...l1 })

function auditCoordinator(
  keccak256: Keccak256,
  { batch }: BatchEvidence,
  { coordinator, user }: TransactionsByKind,
  { createdAccounts }: BatchOutcome,
  findings: Findings
): void {
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
  keccak256: Keccak256,
  { batch }: BatchEvidence,
  row: Transaction,
  resolution: BatchOutcome["l2"][number],
  findings: Findings
): void {
  const { amount, fromAccountIndex, l2 } = row
  const { feeAmount, receiver, sender, tokenId } = resolution
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
