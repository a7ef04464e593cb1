import type { AccountIndex, EthereumAddress, PublicKey, TransactionId } from "../encoding/mod.ts"
import type { Token, TokenId } from "./token.ts"

/** A leaf of the state tree: one owner, one token. */
export interface Account {
  readonly itemId: number
  readonly index: AccountIndex
  readonly tokenId: TokenId
  /** Batch that created the account. */
  readonly batchNum: number
  readonly publicKey: PublicKey
  /** The owner; the all-F address for an internal (key-only) account. */
  readonly address: EthereumAddress
  /** 0..2^40 − 1. */
  readonly nonce: bigint
  /** Units of the token, below 2^192. */
  readonly balance: bigint
}

/** The values of an account that batches change. */
export type AccountValues = Pick<Account, "nonce" | "balance">

/** An account with its token. */
export interface AccountView {
  readonly account: Account
  readonly token: Token
}

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

/** The fields of L1 transactions. */
export interface L1Part {
  /** Queue that holds the transaction; null for a coordinator transaction. */
  readonly toForgeL1TransactionsNum: number | null
  readonly userOrigin: boolean
  readonly depositAmount: bigint
  /** True if the declared amount was effective; false while the transaction is not forged. */
  readonly amountSuccess: boolean
  /** The same for the deposit. */
  readonly depositAmountSuccess: boolean
  /** Value of the deposit in US dollars when the transaction was stored. */
  readonly historicDepositAmountUSD: number | null
  /**
   * Block in which the transaction entered the queue, or of the batch for a coordinator
   * transaction.
   */
  readonly ethereumBlockNum: bigint
  /**
   * The Ethereum transaction that queued it, or of the batch for a coordinator transaction; null if
   * the feed does not have it. 0x and 64 hexadecimal digits.
   */
  readonly ethereumTxHash: string | null
  /** What the sender paid for that Ethereum transaction, in wei; null if the feed does not have it. */
  readonly l1Fee: bigint | null
}

/** The fields of L2 transactions. */
export interface L2Part {
  /** Fee selector, 0..255. */
  readonly fee: number
  readonly historicFeeUSD: number | null
  readonly nonce: bigint
}

/** A forged transaction, or an L1 user transaction in a queue, which has the `batchNum` null. */
export interface Transaction {
  readonly itemId: number
  readonly id: TransactionId
  readonly type: TransactionType
  /** Position in the queue for an L1 user transaction, otherwise in the batch. */
  readonly position: number
  /**
   * The sender; null for an account-creating transaction until it is forged, then the created
   * account.
   */
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
  /** Value of the amount in US dollars when the transaction was forged; null before. */
  readonly historicUSD: number | null
  /**
   * Milliseconds since 1970: the time of the block that queued an L1 user transaction, or else the
   * time of the batch.
   */
  readonly timestampMs: number
  readonly l1: L1Part | null
  readonly l2: L2Part | null
}

/**
 * A transaction with the current state of its token. `senderToken` and `receiverToken` are the
 * tokens of the accounts that it names, each present only if it is not that of the transaction: see
 * `mayNameOtherTokens`. For a forged transaction an account counts if it existed when the batch was
 * forged.
 */
export interface TransactionView {
  readonly transaction: Transaction
  readonly token: Token
  readonly senderToken?: Token
  readonly receiverToken?: Token
}

/**
 * Returns whether the accounts of a transaction may have other tokens: an L1 user transaction then
 * has no effect, and an L2 transfer of 0 does not look at its receiver.
 *
 * @example
 * ```ts
 * import { mayNameOtherTokens } from "rollup-node-api"
 *
 * console.log(mayNameOtherTokens({ l1: null, amount: 0n })) // => true
 * console.log(mayNameOtherTokens({ l1: null, amount: 5n })) // => false
 * ```
 */
export const mayNameOtherTokens = ({ amount, l1 }: Pick<Transaction, "amount" | "l1">): boolean =>
  amount === 0n || l1?.userOrigin === true

/**
 * Returns the type of an L1 user transaction (PROTOCOL.md "Queues").
 *
 * @example
 * ```ts
 * import { l1TransactionType } from "rollup-node-api"
 *
 * console.log(l1TransactionType(0, 0, 5n)) // => CreateAccountDeposit
 * console.log(l1TransactionType(256, 0, 5n)) // => Deposit
 * console.log(l1TransactionType(256, 1, 0n)) // => ForceExit
 * console.log(l1TransactionType(256, 257, 0n)) // => ForceTransfer
 * ```
 */
export const l1TransactionType = (
  from: AccountIndex,
  to: AccountIndex,
  depositAmount: bigint
): TransactionType =>
  from === 0
    // the exit of a new account never has an effect
    ? to <= 1 ? "CreateAccountDeposit" : "CreateAccountDepositTransfer"
    : to === 0
    ? "Deposit"
    : to === 1
    ? "ForceExit"
    : depositAmount === 0n
    ? "ForceTransfer"
    : "DepositTransfer"

/** A forged batch. */
export interface Batch {
  readonly itemId: number
  /** From 1. */
  readonly batchNum: number
  readonly ethereumBlockNum: bigint
  /** 0x and 64 hexadecimal digits. */
  readonly ethereumBlockHash: string
  readonly timestampMs: number
  readonly forgerAddr: EthereumAddress
  /** Units collected by token, ascending by token id, at most 64 entries. */
  readonly collectedFees: ReadonlyArray<readonly [TokenId, bigint]>
  readonly historicTotalCollectedFeesUSD: number
  readonly stateRoot: bigint
  /** Accounts created in this batch. */
  readonly numAccounts: number
  readonly exitRoot: bigint
  /** Queue of L1 user transactions that this batch forged; null if it forged none. */
  readonly forgeL1TransactionsNum: number | null
  readonly slotNum: number
  /** Number of its transactions. */
  readonly forgedTransactions: number
  /** The Ethereum transaction that forged it; null if the feed does not have it. */
  readonly ethereumTxHash: string | null
}

/** A batch with all its transactions, ascending by position. */
export interface FullBatch {
  readonly batch: Batch
  readonly transactions: ReadonlyArray<TransactionView>
}

/** Maximum number of transactions in a batch, 2048. */
export const transactionsPerBatchMax = 2048
