import type { Account, Batch, Exit, New, Token, TokenId, Transaction } from "../../domain/mod.ts"
import type { AccountIndex, Keccak256 } from "../../encoding/mod.ts"
import type { AccountChange } from "../../ports/mod.ts"
import type { BatchInput, BatchOutcome } from "../batch/mod.ts"
import type { Findings } from "./findings.ts"

/** The stored rows of a batch, and the state before it. */
export interface BatchEvidence {
  readonly batch: Batch
  /** Ascending by item id. */
  readonly transactions: ReadonlyArray<Transaction>
  readonly exits: ReadonlyArray<Exit>
  /** The stored changes of accounts. */
  readonly changes: ReadonlyArray<AccountChange>
  readonly lastAccountBefore: AccountIndex
  /** Returns a stored account; its nonce and balance are ignored. */
  readonly stored: (index: AccountIndex) => Account | undefined
  /** Returns an account that existed before the batch, with nonce and balance. */
  readonly before: (index: AccountIndex) => Account | undefined
  readonly token: (id: TokenId) => Token | undefined
}

/** The transactions of a batch by kind, in order. */
export interface TransactionsByKind {
  readonly user: ReadonlyArray<Transaction>
  readonly coordinator: ReadonlyArray<Transaction>
  readonly l2: ReadonlyArray<Transaction>
}

/** The stored rows of a valid batch, and what they have to be. */
export interface BatchAudit {
  readonly keccak256: Keccak256
  readonly evidence: BatchEvidence
  readonly kinds: TransactionsByKind
  readonly input: BatchInput
  readonly outcome: BatchOutcome
  readonly findings: Findings
}

/** Returns an account that exists before the batch or that the batch creates. */
export const accountOf = (
  { evidence, outcome }: BatchAudit,
  index: AccountIndex
): New<Account> | undefined =>
  evidence.before(index) ?? outcome.createdAccounts.find((account) => account.index === index)

/** Returns a forged user transaction with the sender that it had in the feed. */
export const queuedRow = (row: Transaction): Transaction =>
  row.type.startsWith("CreateAccount")
    ? { ...row, fromAccountIndex: null }
    : { ...row, fromPublicKey: null }
