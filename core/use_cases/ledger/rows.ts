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

/** The account of a transaction, if it exists. Its rows share the strings of the account. */
type Owner = Pick<Account, "address" | "publicKey"> | undefined

/** Returns `known` if both strings are equal, so the other one can be collected. */
const shareString = (own: string | null, known: string | undefined): string | null =>
  own === known ? known : own

/** Returns the row of a transaction, with the accounts of its sender and receiver. */
export const transactionRow = (
  itemId: number,
  row: New<Transaction>,
  from: Owner,
  to: Owner
): Transaction => ({
  itemId,
  id: row.id,
  type: row.type,
  position: row.position,
  fromAccountIndex: row.fromAccountIndex,
  fromAddress: shareString(row.fromAddress, from?.address),
  fromPublicKey: shareString(row.fromPublicKey, from?.publicKey),
  toAccountIndex: row.toAccountIndex,
  toAddress: shareString(row.toAddress, to?.address),
  toPublicKey: shareString(row.toPublicKey, to?.publicKey),
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
  forged: BatchChanges["forged"][number],
  batchNum: number,
  from: Owner,
  to: Owner
): Transaction =>
  transactionRow(
    itemId,
    {
      ...queued,
      fromAccountIndex: forged.fromAccountIndex,
      fromPublicKey: forged.fromPublicKey,
      toAddress: forged.toAddress,
      toPublicKey: forged.toPublicKey,
      historicUSD: forged.historicUSD,
      batchNum,
      l1: queued.l1 &&
        {
          ...queued.l1,
          amountSuccess: forged.amountSuccess,
          depositAmountSuccess: forged.depositAmountSuccess
        }
    },
    from,
    to
  )
