import type { Account, Batch, Exit, New, Token, TokenId, Transaction } from "../../domain/mod.ts"
import type { AccountIndex } from "../../encoding/mod.ts"
import type { AccountChange } from "../../ports/mod.ts"
import type { BatchOutcome } from "../batch/mod.ts"

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

/** Returns an account that exists before the batch or that the batch creates. */
export const accountOf = (
  { before }: BatchEvidence,
  { createdAccounts }: BatchOutcome,
  index: AccountIndex
): New<Account> | undefined =>
  before(index) ?? createdAccounts.find((account) => account.index === index)

/** Returns a forged user transaction with the sender that it had in the queue. */
export const queuedRow = (row: Transaction): Transaction =>
  row.type.startsWith("CreateAccount") ? { ...row, fromAccountIndex: null } : row
