import type { AccountIndex, EthereumAddress, PublicKey } from "../encoding/mod.ts"
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

/** An account with its token. */
export interface AccountView {
  readonly account: Account
  readonly token: Token
}
