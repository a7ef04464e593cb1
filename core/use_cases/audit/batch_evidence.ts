import type { Account, Batch, Exit, Token, TokenId, Transaction } from "../../domain/mod.ts"
import type { AccountIndex, TransactionId } from "../../encoding/mod.ts"
import type { Holding } from "./balance_book.ts"

/** What a store keeps of a batch, and of the state on both sides of it. */
export interface BatchEvidence {
  readonly batch: Batch
  /** In the order of their numbers. */
  readonly transactions: ReadonlyArray<Transaction>
  /** As it was queued. */
  readonly queued: (id: TransactionId) => Transaction | undefined
  readonly exits: ReadonlyArray<Exit>
  /** Those that the batch created, ascending; their balances are of no matter. */
  readonly created: ReadonlyArray<Account>
  readonly lastAccountBefore: AccountIndex
  /** Accounts that were there before and changed, ascending. */
  readonly updated: ReadonlyArray<AccountIndex>
  /** An account that was there before, with what it held. */
  readonly before: (index: AccountIndex) => Account | undefined
  /** What an account held afterwards. */
  readonly after: (index: AccountIndex) => Holding | undefined
  readonly token: (id: TokenId) => Token | undefined
}
