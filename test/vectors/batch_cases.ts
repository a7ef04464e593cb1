import type { VectorCase } from "./mod.ts"

/*
 * The cases of `batches.json`, `leaf-keys.json`, `minimum-bids.json` and `delayed-withdrawals.json`.
 * Amounts are decimal texts, keys and addresses hexadecimal as in a feed.
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
  /** Why the last batch is refused or accepted. */
  readonly verdict: { readonly accept: boolean; readonly stage: string }
  readonly batches: ReadonlyArray<{
    readonly batch: BatchCase
    /** Null if the batch is refused. */
    readonly expected: BatchExpectation | null
  }>
}

/** The number of tokens that the chains use; token 0 is ether. */
export const TOKENS = 3

/** A transfer to a key, signed by a key, and the leaf of an account with the signer's key. */
export interface LeafKeyCase extends VectorCase {
  /** The key as it was sent to the contract. */
  readonly publicKey: string
  /** y and sign in the leaf of the account. */
  readonly y: string
  readonly sign: boolean
  readonly account: {
    readonly tokenId: number
    readonly nonce: number
    readonly balance: string
    readonly address: string
  }
  readonly leaf: string
  /** Null for a key that is no point, so that nothing can be signed. */
  readonly signed: null | {
    readonly chainId: number
    readonly fromAccountIndex: number
    readonly toPublicKey: string
    readonly amount: string
    readonly fee: number
    readonly messageHash: string
    readonly signature: string
    readonly verdict: { readonly accept: boolean }
  }
}

/** Changes of the default minimum bids of an auction, and the minimum of slots after them. */
export interface MinimumBidCase extends VectorCase {
  readonly genesisBids: ReadonlyArray<string>
  readonly changes: ReadonlyArray<{
    /** The slot in which the change is made. */
    readonly currentSlot: number
    readonly closedAuctionSlots: number
    readonly slotSet: number
    readonly bid: string
  }>
  readonly minima: ReadonlyArray<readonly [slotNum: number, bid: string]>
}

/** Withdrawals of exits of one batch in blocks 201, 202 ..., and what an exit shows after them. */
export interface WithdrawalCase extends VectorCase {
  readonly title: string
  readonly withdrawalDelaySeconds: number
  readonly exits: ReadonlyArray<{
    readonly accountIndex: number
    readonly tokenId: number
    readonly owner: string
  }>
  readonly blocks: ReadonlyArray<{
    readonly withdrawals: ReadonlyArray<
      { readonly accountIndex: number; readonly instant: boolean }
    >
    readonly delayedWithdrawals: ReadonlyArray<
      { readonly owner: string; readonly tokenId: number; readonly afterWithdrawals?: number }
    >
  }>
  /** In the order of the exits; null if the last block is refused. */
  readonly expected:
    | ReadonlyArray<
      readonly [
        instantWithdrawn: number | null,
        delayedWithdrawRequest: number | null,
        delayedWithdrawn: number | null
      ]
    >
    | null
}
