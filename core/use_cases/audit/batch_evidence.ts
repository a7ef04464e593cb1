import type { Account, Batch, Exit, Token, TokenId, Transaction } from "../../domain/mod.ts"
import type { AccountIndex, TransactionId } from "../../encoding/mod.ts"
import type { Holding } from "./balance_book.ts"

/** The stored data of a batch, and the state before and after it. */
export interface BatchEvidence {
  readonly batch: Batch
  /** Ascending by item id. */
  readonly transactions: ReadonlyArray<Transaction>
  /** Returns a forged transaction in its state before it was forged. */
  readonly queued: (id: TransactionId) => Transaction | undefined
  readonly exits: ReadonlyArray<Exit>
  /** Accounts that the batch created, ascending; their balances are ignored. */
  readonly created: ReadonlyArray<Account>
  readonly lastAccountBefore: AccountIndex
  /** Accounts that existed before and changed, ascending. */
  readonly updated: ReadonlyArray<AccountIndex>
  /** Returns an account that existed before the batch, with nonce and balance. */
  readonly before: (index: AccountIndex) => Account | undefined
  /** Returns nonce and balance of an account after the batch. */
  readonly after: (index: AccountIndex) => Holding | undefined
  readonly token: (id: TokenId) => Token | undefined
}
