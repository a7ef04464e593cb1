import { Result } from "effect"
import {
  type AuctionConstants,
  type L2Feed,
  slotOfBlock,
  type Transaction
} from "../../domain/mod.ts"
import { INTERNAL_ADDRESS, type Keccak256 } from "../../encoding/mod.ts"
import { type BatchInput, processBatch } from "../batch/mod.ts"
import { auditBalances } from "./_balances.ts"
import { auditExits } from "./_exits.ts"
import { auditTransactions, type Kinds } from "./_transactions.ts"
import type { BatchEvidence } from "./batch_evidence.ts"
import type { Findings } from "./findings.ts"

export interface BatchAuditRules {
  readonly auction: Pick<AuctionConstants, "genesisBlockNum" | "blocksPerSlot">
  readonly keccak256: Keccak256
}

/**
 * Computes a batch from the state before it and compares the result with what is stored. It skips
 * exit proofs, which are expensive and have their own check, and amounts in US dollars, since no
 * store records the prices at the time of a batch.
 */
export function auditBatch(
  { auction, keccak256 }: BatchAuditRules,
  evidence: BatchEvidence,
  findings: Findings
): void {
  const { batch, lastAccountBefore, transactions } = evidence
  const place = `batch ${batch.batchNum}`
  findings.checked("batches")
  findings.same(
    "batches",
    `${place}, slotNum`,
    batch.slotNum,
    slotOfBlock(auction, batch.ethereumBlockNum)
  )
  const kinds = kindsOf(transactions)
  for (const { id, itemId } of kinds.user) {
    if (evidence.queued(id) === undefined) {
      findings.violate(
        "queued",
        `transaction ${id} (item ${itemId}, ${place})`,
        "no queued transaction of that id",
        "the one that was forged"
      )
    }
  }
  const outcome = processBatch({
    account: evidence.before,
    token: evidence.token,
    lastAccountIndex: lastAccountBefore
  }, inputOf(evidence, kinds))
  findings.checked("transitions")
  if (Result.isFailure(outcome)) {
    const { expected, invariant, pointer, value } = outcome.failure
    findings.violate("transitions", `${place}${pointer}`, `${value} (${invariant})`, expected)
    return
  }
  const isOrdered = auditTransactions(keccak256, evidence, kinds, outcome.success, findings)
  if (isOrdered) auditBalances(evidence, outcome.success, findings)
  auditExits(evidence, outcome.success, findings)
}

const kindsOf = (transactions: ReadonlyArray<Transaction>): Kinds => ({
  user: transactions.filter(({ l1 }) => l1?.userOrigin === true),
  coordinator: transactions.filter(({ l1 }) => l1?.userOrigin === false),
  l2: transactions.filter(({ l2 }) => l2 !== null)
})

/**
 * Stores do not record which accounts collected the fees: the balances after the batch show them.
 */
const inputOf = (
  { batch, queued }: BatchEvidence,
  { coordinator, l2, user }: Kinds
): BatchInput => ({
  batchNum: batch.batchNum,
  queue: user.map((forged) => queued(forged.id) ?? unforged(forged)),
  // the contract verified the signatures, and stores do not record them
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

const unforged = (row: Transaction): Transaction =>
  row.type.startsWith("CreateAccount") ? { ...row, fromAccountIndex: null } : row
