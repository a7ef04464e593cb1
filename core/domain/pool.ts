import type { AccountIndex, EthereumAddress, PublicKey, TransactionId } from "../encoding/mod.ts"
import type { Token, TokenId } from "./token.ts"

export const poolStates = ["pend", "fing", "fged", "invl"] as const
/** Pending, forging, forged, invalid. */
export type PoolState = typeof poolStates[number]

export const poolTransactionTypes = ["Exit", "Transfer", "TransferToEthAddr", "TransferToBJJ"] as const
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

/** An L2 transaction as its sender signed it, waiting in the pool. */
export interface PoolTransaction {
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
  readonly state: PoolState
  /** 128 hexadecimal digits: compressed R8, then S, little-endian. */
  readonly signature: string
  readonly timestampMs: number
  readonly batchNum: number | null
  readonly request: RequestedTransaction | null
}

/** A pool transaction as it is shown: with its token, the owner of its sender, and the token of the requested one. */
export interface PoolTransactionView {
  readonly transaction: PoolTransaction
  readonly token: Token
  readonly sender: { readonly address: EthereumAddress; readonly publicKey: PublicKey } | null
  readonly requestToken: Token | null
}

/** An Ethereum owner allows any coordinator to create accounts for a key. */
export interface Authorization {
  readonly address: EthereumAddress
  readonly publicKey: PublicKey
  /** 0x and 130 hexadecimal digits: r, s, v. */
  readonly signature: string
  readonly timestampMs: number
}
