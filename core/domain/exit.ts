import type { AccountIndex, EthereumAddress, PublicKey } from "../encoding/mod.ts"
import type { MerkleProofFeed } from "./batch_feed.ts"
import type { Token, TokenId } from "./token.ts"

/**
 * Proof that a leaf is in a tree of accounts: the exits of a batch, or the state. Big
 * values are elements of the scalar field.
 */
export type MerkleProof = typeof MerkleProofFeed.Type

/** A leaf of the exit tree of one batch: the amount that an account may withdraw. */
export interface Exit {
  readonly itemId: number
  readonly batchNum: number
  readonly accountIndex: AccountIndex
  readonly tokenId: TokenId
  readonly address: EthereumAddress
  readonly publicKey: PublicKey
  readonly merkleProof: MerkleProof
  /** Units to withdraw; 0 if none of the forced exits of the account had an effect. */
  readonly balance: bigint
  /** Ethereum block of the instant withdrawal, or null. */
  readonly instantWithdrawn: bigint | null
  /** Ethereum block in which the withdrawal went to the delayer, or null. */
  readonly delayedWithdrawRequest: bigint | null
  /** Ethereum block in which the delayed withdrawal was collected, or null. */
  readonly delayedWithdrawn: bigint | null
}

/** The fields of an exit that withdrawals set, each at most once. */
export const withdrawalFields = [
  "instantWithdrawn",
  "delayedWithdrawRequest",
  "delayedWithdrawn"
] as const
export type WithdrawalField = typeof withdrawalFields[number]

/** Returns whether a delayed withdrawal was requested and is not collected yet. */
export const isRequestedWithdraw = (exit: Pick<Exit, WithdrawalField>): boolean =>
  exit.delayedWithdrawRequest !== null && exit.delayedWithdrawn === null

/** An exit with its token. */
export interface ExitView {
  readonly exit: Exit
  readonly token: Token
}

/**
 * Returns whether an exit is pending; a requested delayed withdrawal is pending until it is
 * collected (PROTOCOL.md "Withdrawals").
 *
 * @example
 * ```ts
 * import { isPendingWithdraw } from "rollup-node-api"
 *
 * const exit = { instantWithdrawn: null, delayedWithdrawn: null }
 * const collected = { ...exit, delayedWithdrawn: 18_000_000n }
 * console.log(isPendingWithdraw(exit), isPendingWithdraw(collected)) // => true false
 * ```
 */
export const isPendingWithdraw = (
  exit: Pick<Exit, "instantWithdrawn" | "delayedWithdrawn">
): boolean => exit.instantWithdrawn === null && exit.delayedWithdrawn === null
