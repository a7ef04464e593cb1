import type { VectorCase } from "./mod.ts"

/*
 * The chains of batches in `batches.json`. Amounts are decimal texts, keys and addresses hexadecimal
 * as in a feed.
 */

/** A transaction of the L1 queue that a batch forges. */
export interface UserTransaction {
  readonly fromAccountIndex: number
  readonly fromAddress: string
  /** The key of the new account; null if the sender exists. */
  readonly fromPublicKey: string | null
  readonly toAccountIndex: number
  readonly tokenId: number
  readonly depositAmount: string
  readonly amount: string
}

/** An account that the coordinator creates. */
export interface CoordinatorAccount {
  readonly tokenId: number
  readonly address: string
  readonly publicKey: string
}

export interface RollupTransaction {
  readonly fromAccountIndex: number
  readonly toAccountIndex: number
  readonly amount: string
  readonly fee: number
  readonly nonce: number
}

/** The input of a batch. */
export interface BatchCase {
  readonly queue: ReadonlyArray<UserTransaction>
  readonly coordinator: ReadonlyArray<CoordinatorAccount>
  readonly l2: ReadonlyArray<RollupTransaction>
  readonly feeAccounts: ReadonlyArray<number>
}

/** The state after a batch, and its exit tree. */
export interface BatchExpectation {
  readonly stateRoot: string
  readonly exitRoot: string
  /** By position in the queue. */
  readonly effectiveAmounts: ReadonlyArray<string>
  /** All accounts, ascending from 256: token, nonce, balance. */
  readonly accounts: ReadonlyArray<readonly [tokenId: number, nonce: number, balance: string]>
  /** The leaves of the exit tree, ascending. */
  readonly exits: ReadonlyArray<readonly [accountIndex: number, balance: string, leaf: string]>
}

/** A chain of batches from the empty state; the last one of a negative case is refused. */
export interface ChainCase extends VectorCase {
  readonly title: string
  readonly batches: ReadonlyArray<{
    readonly batch: BatchCase
    /** Null if the batch is refused. */
    readonly expected: BatchExpectation | null
  }>
}

/** The number of tokens that the chains use; token 0 is ether. */
export const TOKENS = 3
