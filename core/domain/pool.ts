import { Result } from "effect"
import {
  type AccountIndex,
  type EthereumAddress,
  feeAmount,
  feeFactor,
  type GroupId,
  type PublicKey,
  type TransactionId
} from "../encoding/mod.ts"
import { type Token, type TokenId, valueUSD } from "./token.ts"

/**
 * The owner of an account: an Ethereum address, or the all-F address of an internal account, and a
 * key.
 */
export interface AccountOwner {
  readonly address: EthereumAddress
  readonly publicKey: PublicKey
}

/**
 * Returns whether two accounts have the same owner: the same address and the same key.
 *
 * @example
 * ```ts
 * import { isSameOwner } from "rollup-node-api"
 *
 * const owner = { address: `0x${"a".repeat(40)}`, publicKey: "0a".repeat(32) }
 * console.log(isSameOwner(owner, { ...owner }), isSameOwner(owner, { ...owner, publicKey: "" }))
 * // => true false
 * ```
 */
export const isSameOwner = (a: AccountOwner, b: AccountOwner): boolean =>
  a.address === b.address && a.publicKey === b.publicKey

/** The states of a pool transaction (PROTOCOL.md "Pool states"): pending, forging, forged, invalid. */
export const poolStates = ["pend", "fing", "fged", "invl"] as const
export type PoolState = typeof poolStates[number]

/** The states of transactions that can still be forged. */
export const unfinishedStates: ReadonlyArray<PoolState> = ["pend", "fing"]

/** The transaction types that a client can post. */
export const poolTransactionTypes = [
  "Exit",
  "Transfer",
  "TransferToEthAddr",
  "TransferToBJJ"
] as const
export type PoolTransactionType = typeof poolTransactionTypes[number]

/**
 * The transaction that must be forged in the same batch; its fields are part of the signed content.
 */
export interface RequestedTransaction {
  readonly fromAccountIndex: AccountIndex | null
  readonly toAccountIndex: AccountIndex | null
  readonly toAddress: EthereumAddress | null
  readonly toPublicKey: PublicKey | null
  readonly tokenId: TokenId | null
  readonly amount: bigint | null
  readonly fee: number | null
  readonly nonce: bigint | null
}

/**
 * Returns the request of a transaction that requires this one.
 *
 * @example
 * ```ts
 * import { requestOf } from "rollup-node-api"
 *
 * const payment = {
 *   fromAccountIndex: 256,
 *   toAccountIndex: 257,
 *   toAddress: null,
 *   toPublicKey: null,
 *   tokenId: 0,
 *   amount: 5n,
 *   fee: 126,
 *   nonce: 0n,
 *   signature: "0".repeat(128)
 * }
 * console.log(Object.keys(requestOf(payment)).length) // => 8
 * ```
 */
export const requestOf = (
  { amount, fee, fromAccountIndex, nonce, toAccountIndex, toAddress, toPublicKey, tokenId }: Pick<
    PostedTransaction,
    keyof RequestedTransaction
  >
): RequestedTransaction => ({
  fromAccountIndex,
  toAccountIndex,
  toAddress,
  toPublicKey,
  tokenId,
  amount,
  fee,
  nonce
})

/** An L2 transaction as signed and posted. */
export interface PostedTransaction {
  readonly id: TransactionId
  readonly type: PoolTransactionType
  readonly tokenId: TokenId
  readonly fromAccountIndex: AccountIndex
  readonly toAccountIndex: AccountIndex | null
  readonly toAddress: EthereumAddress | null
  readonly toPublicKey: PublicKey | null
  readonly amount: bigint
  readonly fee: number
  readonly nonce: bigint
  /** 128 hexadecimal digits: compressed R8, then S, little-endian. */
  readonly signature: string
  readonly request: RequestedTransaction | null
  /** The last batch that may forge the transaction, 0..2^32−1; unlimited if 0 or absent. */
  readonly maxNumBatch?: number
}

/** A transaction of an atomic group. */
export interface GroupedTransaction extends PostedTransaction {
  /**
   * The position of the transaction that `request` describes, relative to this one: 1 to 3 for +1 to
   * +3, 4 to 7 for −4 to −1.
   */
  readonly requestOffset: number
}

/** Maximum number of transactions of a group. */
export const groupTransactionsMax = 32

/** An atomic group as posted: its transactions are forged in one batch, in this order, or never. */
export interface PostedGroup {
  readonly id: GroupId
  readonly transactions: ReadonlyArray<GroupedTransaction>
}

/** The place of a pool transaction in its atomic group. */
export interface GroupMembership extends Pick<GroupedTransaction, "requestOffset"> {
  readonly id: GroupId
  /** 0 for the first transaction. */
  readonly position: number
  /** Number of transactions of the group. */
  readonly size: number
}

/** An L2 transaction in the pool. */
export interface PoolTransaction extends PostedTransaction {
  /** Absent if the transaction was posted alone. */
  readonly group?: GroupMembership
  readonly state: PoolState
  /** Milliseconds since 1970: when it entered the pool. */
  readonly timestampMs: number
  /** The batch that forges, forged or invalidated it; null while it is pending. */
  readonly batchNum: number | null
}

/**
 * One transition of a transaction. Transitions are retained after the transaction leaves the pool.
 */
export interface PoolTransition {
  readonly id: TransactionId
  /** Null when the transaction enters the pool. */
  readonly from: PoolState | null
  /** Null when the transaction leaves the pool. */
  readonly to: PoolState | null
  readonly atMs: number
  readonly batchNum: number | null
  /** A sentence for a person, without a period. */
  readonly reason: string
}

/** The reasons for which a selection skips a pending transaction. */
export const skipCodes = {
  maxNumBatchPassed: 2,
  notEnoughBalance: 11,
  notCurrentNonce: 12,
  noSpaceForAccount: 13,
  destinationCannotBeCreated: 14,
  receiverNotFound: 15,
  cannotBeProcessed: 16,
  noAvailableSlots: 17,
  requestedNotForged: 18
} as const
export type SkipCode = typeof skipCodes[keyof typeof skipCodes]

/** The last selection that skipped a transaction; the transaction stays pending. */
export interface SkippedTransaction {
  readonly id: TransactionId
  readonly code: SkipCode
  readonly reason: string
  /** The batch of the selection. */
  readonly batchNum: number
  readonly atMs: number
}

/**
 * A pool transaction with its token, the owner of its sender when it was posted, and the token of the
 * requested transaction.
 */
export interface PoolTransactionView {
  readonly transaction: PoolTransaction
  readonly token: Token
  readonly sender: AccountOwner
  readonly requestToken: Token | null
  /** Increases with every transaction that enters the pool; begins with 1. */
  readonly itemId: number
  /** Why the last selection skipped it; null if none did since it became pending. */
  readonly skipped: SkippedTransaction | null
  /** Why it is invalid; null in any other state. */
  readonly invalidReason: string | null
}

/**
 * An authorization as posted: an Ethereum owner allows every coordinator to create accounts for a
 * key.
 */
export interface PostedAuthorization {
  readonly address: EthereumAddress
  readonly publicKey: PublicKey
  /** 0x and 130 hexadecimal digits: r, s, v. */
  readonly signature: string
}

/** An authorization and the time when this node received it. */
export interface Authorization extends PostedAuthorization {
  readonly timestampMs: number
}

/**
 * Returns whether a batch is after the last one that may forge a transaction. A transaction without
 * `maxNumBatch`, or with 0, never expires.
 *
 * @example
 * ```ts
 * import { isExpired } from "rollup-node-api"
 *
 * const transfer = { maxNumBatch: 7 }
 * console.log(isExpired(transfer, 7), isExpired(transfer, 8)) // => false true
 * ```
 */
export const isExpired = (
  { maxNumBatch = 0 }: Pick<PostedTransaction, "maxNumBatch">,
  batchNum: number
): boolean => maxNumBatch !== 0 && batchNum > maxNumBatch

/**
 * Returns the fee in units of the token. Returns 0 if it cannot be computed; no pool accepts such a
 * transaction.
 *
 * @example
 * ```ts
 * import { feeUnits } from "rollup-node-api"
 *
 * console.log(feeUnits({ amount: 1_000_000n, fee: 126 })) // => 101531n
 * ```
 */
export const feeUnits = ({ amount, fee }: Pick<PostedTransaction, "amount" | "fee">): bigint =>
  Result.getOrElse(feeAmount(amount, fee), () => 0n)

/**
 * Returns the fee in US dollars; 0 for a token without price.
 *
 * @example
 * ```ts
 * import { feeUnits, feeUSD } from "rollup-node-api"
 *
 * const transfer = { amount: 1_000_000n, fee: 126 }
 * console.log(feeUnits(transfer)) // => 101531n
 * console.log(feeUSD(transfer, { priceUSD: 1, decimals: 6 })) // => 0.1015315
 * ```
 */
export const feeUSD = (
  { amount, fee }: Pick<PostedTransaction, "amount" | "fee">,
  token: Pick<Token, "priceUSD" | "decimals">
): number => (valueUSD(token, amount) ?? 0) * feeFactor(fee)
