import { Result } from "effect"
import {
  type Batch,
  type GenesisFeed,
  type L2Feed,
  slotOfBlock,
  type Transaction
} from "../../domain/mod.ts"
import { INTERNAL_ADDRESS, type Keccak256 } from "../../encoding/mod.ts"
import { type BatchInput, processBatch } from "../batch/mod.ts"
import { type BatchEvidence, queuedRow, type TransactionsByKind } from "./_batch_evidence.ts"
import { auditChanges, type ComputedValues } from "./_changes.ts"
import { auditExits } from "./_exits.ts"
import type { Findings } from "./findings.ts"
import { auditTransactions } from "./_transactions.ts"

/** The network of a ledger, and the rules of its audit. */
export interface LedgerAuditRules {
  readonly genesis: GenesisFeed
  readonly keccak256: Keccak256
}

/**
 * Computes a batch from the state before it and compares the result with the stored rows. Returns
 * the values of the accounts that it created or changed, or undefined if it is no valid transition.
 * It does not check exit proofs, which are expensive and have a check of their own, and values in US
 * dollars, since stores do not record the prices at the time of a batch.
 */
export function auditBatch(
  { genesis, keccak256 }: LedgerAuditRules,
  evidence: BatchEvidence,
  findings: Findings
): ComputedValues | undefined {
  const { batch, lastAccountBefore, transactions } = evidence
  const location = `batch ${batch.batchNum}`
  findings.checked("batches")
  findings.same(
    "batches",
    `${location}, slotNum`,
    batch.slotNum,
    slotOfBlock(genesis.constants.auction, batch.ethereumBlockNum)
  )
  const kinds = kindsOf(transactions)
  const input = inputOf(batch, kinds)
  const outcome = processBatch({
    account: evidence.before,
    token: evidence.token,
    lastAccountIndex: lastAccountBefore
  }, input)
  findings.checked("transitions")
  if (Result.isFailure(outcome)) {
    const { expected, invariant, pointer, value } = outcome.failure
    findings.violate("transitions", `${location}${pointer}`, `${value} (${invariant})`, expected)
    return undefined
  }
  const audit = { keccak256, evidence, kinds, input, outcome: outcome.success, findings }
  auditTransactions(audit)
  auditExits(audit)
  return auditChanges(audit)
}

const kindsOf = (transactions: ReadonlyArray<Transaction>): TransactionsByKind => ({
  user: transactions.filter(({ l1 }) => l1?.userOrigin === true),
  coordinator: transactions.filter(({ l1 }) => l1?.userOrigin === false),
  l2: transactions.filter(({ l2 }) => l2 !== null)
})

/**
 * Returns the input of the batch. Stores record neither the fee accounts nor the signatures, which
 * the contract verified.
 */
const inputOf = (
  { batchNum }: Batch,
  { coordinator, l2, user }: TransactionsByKind
): BatchInput => ({
  batchNum,
  queue: user.map(queuedRow),
  l1Coordinator: coordinator.map(({ fromAddress, fromPublicKey, tokenId }) => ({
    address: fromAddress ?? "",
    publicKey: fromPublicKey ?? "",
    tokenId,
    signature: fromAddress === INTERNAL_ADDRESS ? null : "0x"
  })),
  l2: l2.map((row): L2Feed => ({
    fromAccountIndex: row.fromAccountIndex ?? 0,
    toAccountIndex: row.toAccountIndex,
    amount: row.amount,
    fee: row.l2?.fee ?? 0,
    nonce: row.l2?.nonce ?? 0n
  })),
  feeAccounts: []
})
