import type { Account, BatchChanges, Exit, New, Transaction } from "../../domain/mod.ts"

/*
 * Object literals with every member: all rows of a table have the same hidden class in V8. Spread
 * objects take more memory and make property reads polymorphic.
 */

/** Returns the row of an account. */
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

/** Returns the row of an exit. */
export const exitRow = (itemId: number, exit: New<Exit>): Exit => ({
  itemId,
  batchNum: exit.batchNum,
  accountIndex: exit.accountIndex,
  tokenId: exit.tokenId,
  address: exit.address,
  publicKey: exit.publicKey,
  merkleProof: exit.merkleProof,
  balance: exit.balance,
  instantWithdrawn: exit.instantWithdrawn,
  delayedWithdrawRequest: exit.delayedWithdrawRequest,
  delayedWithdrawn: exit.delayedWithdrawn
})

/** Returns the row of a transaction. */
export const transactionRow = (itemId: number, row: New<Transaction>): Transaction => ({
  itemId,
  id: row.id,
  type: row.type,
  position: row.position,
  fromAccountIndex: row.fromAccountIndex,
  fromAddress: row.fromAddress,
  fromPublicKey: row.fromPublicKey,
  toAccountIndex: row.toAccountIndex,
  toAddress: row.toAddress,
  toPublicKey: row.toPublicKey,
  tokenId: row.tokenId,
  amount: row.amount,
  batchNum: row.batchNum,
  historicUSD: row.historicUSD,
  timestampMs: row.timestampMs,
  l1: row.l1,
  l2: row.l2
})

/** Returns the row of a queued transaction after its batch forged it. */
export const forgedRow = (
  itemId: number,
  queued: Transaction,
  { amountSuccess, depositAmountSuccess, ...forged }: BatchChanges["forged"][number],
  batchNum: number
): Transaction =>
  transactionRow(itemId, {
    ...queued,
    ...forged,
    batchNum,
    l1: queued.l1 && { ...queued.l1, amountSuccess, depositAmountSuccess }
  })
