import type { Account, ForgedFields, New, Transaction } from "../../domain/mod.ts"

/**
 * Returns the row of an account. An object literal with every member takes less memory than a spread
 * object, and a ledger has many accounts.
 */
export const accountRow = (
  itemId: number,
  account: New<Account>,
  nonce = account.nonce,
  balance = account.balance
): Account => ({
  itemId,
  index: account.index,
  tokenId: account.tokenId,
  batchNum: account.batchNum,
  publicKey: account.publicKey,
  address: account.address,
  nonce,
  balance
})

/** Returns the row of a queued transaction after its batch forged it. */
export const forgedRow = (
  queued: Transaction,
  { amountSuccess, depositAmountSuccess, ...forged }: ForgedFields,
  itemId: number,
  batchNum: number
): Transaction => ({
  ...queued,
  ...forged,
  itemId,
  batchNum,
  l1: queued.l1 && { ...queued.l1, amountSuccess, depositAmountSuccess }
})
