import { Result } from "effect"
import {
  type AccountIndex,
  type EthereumAddress,
  feeAmount,
  feeFactor,
  type PublicKey,
  type TransactionId
} from "../encoding/mod.ts"
import { type Token, type TokenId, valueUSD } from "./token.ts"

export const poolStates = ["pend", "fing", "fged", "invl"] as const
/** Pending, forging, forged, invalid. */
export type PoolState = typeof poolStates[number]

export const poolTransactionTypes = [
  "Exit",
  "Transfer",
  "TransferToEthAddr",
  "TransferToBJJ"
] as const
export type PoolTransactionType = typeof poolTransactionTypes[number]

/** The transaction that must be forged in the same batch; what it says is part of what is signed. */
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

/** An L2 transaction as its sender signed and posted it. */
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
}

/** An L2 transaction in the pool. */
export interface PoolTransaction extends PostedTransaction {
  readonly state: PoolState
  /** When it entered the pool. */
  readonly timestampMs: number
  /** The batch that forges, forged or invalidated it; null while it is pending. */
  readonly batchNum: number | null
}

/** One step of a transaction through the pool; all of them are kept, also after the transaction has left. */
export interface PoolTransition {
  readonly id: TransactionId
  /** Null where it entered. */
  readonly from: PoolState | null
  /** Null where it left. */
  readonly to: PoolState | null
  readonly atMs: number
  readonly batchNum: number | null
  /** A sentence for a person, without a full stop. */
  readonly reason: string
}

/** Why a selection passed over a pending transaction (domain §4.4). */
export const skipCodes = {
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

/** The last selection that passed over a transaction; it stays pending. */
export interface SkippedTransaction {
  readonly id: TransactionId
  readonly code: SkipCode
  readonly reason: string
  /** The batch that was selected for. */
  readonly batchNum: number
  readonly atMs: number
}

/** A pool transaction as it is shown: with its token, the owner of its sender, and the token of the requested one. */
export interface PoolTransactionView {
  readonly transaction: PoolTransaction
  readonly token: Token
  readonly sender: { readonly address: EthereumAddress; readonly publicKey: PublicKey } | null
  readonly requestToken: Token | null
}

/** An Ethereum owner allows any coordinator to create accounts for a key, as it was posted. */
export interface PostedAuthorization {
  readonly address: EthereumAddress
  readonly publicKey: PublicKey
  /** 0x and 130 hexadecimal digits: r, s, v. */
  readonly signature: string
}

/** An authorization and when this node came to know it. */
export interface Authorization extends PostedAuthorization {
  readonly timestampMs: number
}

/** The fee in units of the token; 0 where it cannot be computed, which no pool takes in. */
export const feeUnits = ({ amount, fee }: Pick<PostedTransaction, "amount" | "fee">): bigint =>
  Result.getOrElse(feeAmount(amount, fee), () => 0n)

/** The fee in US dollars (domain §4.1); 0 for a token without price. */
export const feeUSD = (
  { amount, fee }: Pick<PostedTransaction, "amount" | "fee">,
  token: Pick<Token, "priceUSD" | "decimals">
): number => (valueUSD(token, amount) ?? 0) * feeFactor(fee)
