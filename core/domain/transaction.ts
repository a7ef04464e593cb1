import type { AccountIndex, EthereumAddress, PublicKey, TransactionId } from "../encoding/mod.ts"
import type { Token, TokenId } from "./token.ts"

/** The ten transaction types of the contract. */
export const transactionTypes = [
  "Exit",
  "Transfer",
  "Deposit",
  "CreateAccountDeposit",
  "CreateAccountDepositTransfer",
  "DepositTransfer",
  "ForceTransfer",
  "ForceExit",
  "TransferToEthAddr",
  "TransferToBJJ"
] as const
export type TransactionType = typeof transactionTypes[number]

/** What only an L1 transaction has. */
export interface L1Part {
  /** Queue that holds the transaction; null for a coordinator transaction. */
  readonly toForgeL1TransactionsNum: number | null
  readonly userOrigin: boolean
  readonly depositAmount: bigint
  /** False while unforged: unknown. */
  readonly amountSuccess: boolean
  readonly depositAmountSuccess: boolean
  /** Worth of the deposit when the transaction was stored. */
  readonly historicDepositAmountUSD: number | null
  /** Block in which the transaction entered the queue, or of the batch for a coordinator transaction. */
  readonly ethereumBlockNum: bigint
}

/** What only an L2 transaction has. */
export interface L2Part {
  /** Fee selector, 0..255. */
  readonly fee: number
  readonly historicFeeUSD: number | null
  readonly nonce: bigint
}

/** A transaction of the history: forged, or an L1 user transaction waiting in its queue (`batchNum` null). */
export interface Transaction {
  readonly itemId: number
  readonly id: TransactionId
  readonly type: TransactionType
  /** In its queue for an L1 user transaction, otherwise in its batch. */
  readonly position: number
  /** The sender; null for an account-creating transaction until it is forged, then the created account. */
  readonly fromAccountIndex: AccountIndex | null
  readonly fromAddress: EthereumAddress | null
  readonly fromPublicKey: PublicKey | null
  /** 0 for a deposit, 1 for an exit. */
  readonly toAccountIndex: AccountIndex
  readonly toAddress: EthereumAddress | null
  readonly toPublicKey: PublicKey | null
  readonly tokenId: TokenId
  readonly amount: bigint
  readonly batchNum: number | null
  /** Worth of the amount when the transaction was stored. */
  readonly historicUSD: number | null
  /** L1 user: time of the queueing block; otherwise time of the batch. Milliseconds since 1970. */
  readonly timestampMs: number
  readonly l1: L1Part | null
  readonly l2: L2Part | null
}

/** A transaction as it is shown: with its token as it is today. */
export interface TransactionView {
  readonly transaction: Transaction
  readonly token: Token
}

/** The type that data availability leaves visible (domain §6.7). */
export const l1TransactionType = (
  from: AccountIndex,
  to: AccountIndex,
  depositAmount: bigint
): TransactionType =>
  from === 0
    ? to === 0 ? "CreateAccountDeposit" : "CreateAccountDepositTransfer"
    : to === 0
    ? "Deposit"
    : to === 1
    ? "ForceExit"
    : depositAmount === 0n
    ? "ForceTransfer"
    : "DepositTransfer"

/** A forged transfer to an address or a key is a plain transfer to the account that received it. */
export const l2TransactionType = (to: AccountIndex): TransactionType =>
  to === 1 ? "Exit" : "Transfer"
