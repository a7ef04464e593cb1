import { Result } from "effect"
import {
  type Account,
  type Batch,
  type ForgedFields,
  type L1CoordinatorFeed,
  type L2Feed,
  type New,
  type TokenId,
  type Transaction
} from "../../domain/mod.ts"
import {
  type AccountIndex,
  EXIT_ACCOUNT,
  isUserAccount,
  type Keccak256,
  l1CoordinatorTransactionId,
  l2TransactionId,
  NO_ACCOUNT
} from "../../encoding/mod.ts"
import type { L1UserEffect, L2Resolution } from "./batch_transition.ts"

/* The rows of the transactions of a batch. A block stores them, and an audit compares stored ones. */

type FindAccount = (index: AccountIndex) => New<Account> | undefined

/** The batch of a transaction, and the position of the transaction in it. */
export interface BatchPlace {
  readonly batch: Pick<Batch, "batchNum" | "timestampMs" | "ethereumBlockNum" | "ethereumTxHash">
  readonly position: number
}

const NO_OWNER = { address: null, publicKey: null }

/**
 * Returns the keys of both accounts of a queued transaction, and the address of its receiver; null if
 * it is no account, or does not exist yet. A transaction that creates its sender has the key itself.
 */
export const ownersOfQueued = (
  { fromAccountIndex, fromPublicKey, toAccountIndex }: New<Transaction>,
  account: FindAccount
): Pick<Transaction, "fromPublicKey" | "toAddress" | "toPublicKey"> => {
  const [sender, receiver] = [fromAccountIndex ?? NO_ACCOUNT, toAccountIndex].map((index) =>
    (isUserAccount(index) ? account(index) : undefined) ?? NO_OWNER
  )
  return {
    fromPublicKey: fromPublicKey ?? sender!.publicKey,
    toAddress: receiver!.address,
    toPublicKey: receiver!.publicKey
  }
}

/** Returns the fields of a queued transaction that its batch sets, except its value in US dollars. */
export const forgedFields = (
  row: New<Transaction>,
  { createdIndex, effectiveAmount, effectiveDepositAmount }: L1UserEffect,
  account: FindAccount
): Omit<ForgedFields, "historicUSD"> => ({
  id: row.id,
  fromAccountIndex: createdIndex ?? row.fromAccountIndex ?? NO_ACCOUNT,
  ...ownersOfQueued(row, account),
  amountSuccess: effectiveAmount === row.amount,
  depositAmountSuccess: effectiveDepositAmount === row.l1?.depositAmount
})

/** Returns the row of a coordinator L1 transaction: a deposit of zero into the account it creates. */
export const coordinatorRow = (
  { batch, position }: BatchPlace,
  { address, publicKey, tokenId }: Omit<L1CoordinatorFeed, "signature">,
  created: AccountIndex,
  keccak256: Keccak256
): New<Transaction> => ({
  id: l1CoordinatorTransactionId({ batchNum: batch.batchNum, position }, keccak256),
  type: "CreateAccountDeposit",
  position,
  fromAccountIndex: created,
  fromAddress: address,
  fromPublicKey: publicKey,
  toAccountIndex: NO_ACCOUNT,
  toAddress: null,
  toPublicKey: null,
  tokenId,
  amount: 0n,
  batchNum: batch.batchNum,
  historicUSD: null,
  timestampMs: batch.timestampMs,
  l1: {
    toForgeL1TransactionsNum: null,
    userOrigin: false,
    depositAmount: 0n,
    // amounts of zero count as success
    amountSuccess: true,
    depositAmountSuccess: true,
    historicDepositAmountUSD: null,
    ethereumBlockNum: batch.ethereumBlockNum,
    ethereumTxHash: batch.ethereumTxHash,
    l1Fee: null
  },
  l2: null
})

/** Returns the row of an L2 transaction. `valueOf` returns the value of units in US dollars. */
export const l2Row = (
  { batch, position }: BatchPlace,
  { amount, fee, fromAccountIndex, toAccountIndex }: L2Feed,
  { feeAmount, nonce, receiver, sender, tokenId }: L2Resolution,
  valueOf: (tokenId: TokenId, units: bigint) => number | null,
  keccak256: Keccak256
): New<Transaction> => ({
  // cannot fail: `processBatch` has checked every field
  id: Result.getOrThrow(
    l2TransactionId({ amount, fee, fromAccountIndex, nonce, tokenId }, keccak256)
  ),
  // a transfer to an address or a key becomes a transfer to the receiving account
  type: toAccountIndex === EXIT_ACCOUNT ? "Exit" : "Transfer",
  position,
  fromAccountIndex,
  fromAddress: sender.address,
  fromPublicKey: sender.publicKey,
  toAccountIndex,
  toAddress: receiver === null ? null : receiver.address,
  toPublicKey: receiver === null ? null : receiver.publicKey,
  tokenId,
  amount,
  batchNum: batch.batchNum,
  historicUSD: valueOf(tokenId, amount),
  timestampMs: batch.timestampMs,
  l1: null,
  l2: { fee, historicFeeUSD: valueOf(tokenId, feeAmount), nonce }
})
