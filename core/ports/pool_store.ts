import { Context, type Effect } from "effect"
import type {
  Authorization,
  SkippedTransaction,
  PoolState,
  PoolTransaction,
  PoolTransition,
  TokenId
} from "../domain/mod.ts"
import type { AccountIndex, EthereumAddress, PublicKey, TransactionId } from "../encoding/mod.ts"
import type { StoreFailure } from "./failures.ts"

/** A transaction in the pool with what only the pool needs to know of it. */
export interface Pooled {
  readonly transaction: PoolTransaction
  /** The key that its signature was verified with: after a rollback the account can be somebody else's. */
  readonly sender: PublicKey
  /** When it came into its state. */
  readonly sinceMs: number
  /** Grows with every transaction that enters; never used twice. */
  readonly arrival: number
}

/** What a pool has room for, in pending transactions. */
export interface PoolLimits {
  readonly pendingMax: number
  readonly pendingPerAccountMax: number
}

export type Added =
  | { readonly kind: "added" }
  /** There is one of this id, and it stays. */
  | { readonly kind: "known"; readonly transaction: PoolTransaction }
  | { readonly kind: "full"; readonly limit: keyof PoolLimits }

/** A transaction moves on if it is still in `from` with `fromBatchNum`; `to` null takes it out of the pool. */
export interface PoolChange {
  readonly id: TransactionId
  readonly from: PoolState
  readonly fromBatchNum: number | null
  readonly to: PoolState | null
  readonly batchNum: number | null
  readonly reason: string
}

/** A batch that the pool has taken notice of: its number, and the hash of the Ethereum block that it stands in. */
export interface SettledBatch {
  readonly batchNum: number
  readonly ethereumBlockHash: string
}

/**
 * Port: what this node was told and the chain does not hold: transactions in the pool, and authorizations. It decides nothing:
 * each write is atomic, compares what its caller has seen, and tells what changed. Reads that take a list cost in proportion to
 * what they answer, whatever the size of the pool.
 */
export class PoolStore extends Context.Service<PoolStore, {
  readonly transaction: (id: TransactionId) => Effect.Effect<PoolTransaction | null, StoreFailure>
  readonly authorization: (
    address: EthereumAddress
  ) => Effect.Effect<Authorization | null, StoreFailure>
  /** Every step of a transaction, oldest first, also of one that has left; empty where it never was in the pool. */
  readonly transitions: (
    id: TransactionId
  ) => Effect.Effect<ReadonlyArray<PoolTransition>, StoreFailure>
  /** Null where no selection passed over it since it became pending. */
  readonly skippedTransaction: (
    id: TransactionId
  ) => Effect.Effect<SkippedTransaction | null, StoreFailure>
  /** How many transactions are in each state. */
  readonly counts: Effect.Effect<{ readonly [State in PoolState]: number }, StoreFailure>
  /** Those of the ids that are in the pool, in the order of the ids. */
  readonly pooled: (
    ids: ReadonlyArray<TransactionId>
  ) => Effect.Effect<ReadonlyArray<Pooled>, StoreFailure>
  /** How many transactions of an account are pending. */
  readonly pendingOf: (index: AccountIndex) => Effect.Effect<number, StoreFailure>
  /** Tokens that have pending transactions, ascending. */
  readonly pendingTokens: Effect.Effect<ReadonlyArray<TokenId>, StoreFailure>
  /** Pending transactions of a token: the greatest fee in units first, among equals the first to arrive. `after` need not be there any more. */
  readonly pendingByFee: (
    query: { readonly tokenId: TokenId; readonly after: Pooled | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Pooled>, StoreFailure>
  /** Pending transactions that became so before a time, the oldest first. */
  readonly pendingSince: (
    query: { readonly beforeMs: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Pooled>, StoreFailure>
  /** Pending transactions of each account with a nonce below the one given. */
  readonly pendingBelow: (
    nonces: ReadonlyArray<{ readonly index: AccountIndex; readonly nonce: bigint }>
  ) => Effect.Effect<ReadonlyArray<Pooled>, StoreFailure>
  /** Transactions of a state with a batch number within bounds, both included, ascending. */
  readonly inBatches: (
    query: {
      readonly state: Exclude<PoolState, "pend">
      readonly from: number
      readonly to: number
    }
  ) => Effect.Effect<ReadonlyArray<Pooled>, StoreFailure>
  /** The greatest marks below a batch number, at most `limit`, descending. */
  readonly settledBatchesBelow: (
    query: { readonly batchNum: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<SettledBatch>, StoreFailure>

  /** Takes a pending transaction in, unless its id is known or a limit is reached; all of it is checked with the insert. */
  readonly addTransaction: (
    transaction: PoolTransaction,
    sender: PublicKey,
    limits: PoolLimits
  ) => Effect.Effect<Added, StoreFailure>
  /** The one that is stored now: what was stored for the same address stays. */
  readonly addAuthorization: (
    authorization: Authorization
  ) => Effect.Effect<
    { readonly added: boolean; readonly authorization: Authorization },
    StoreFailure
  >
  /** Makes the changes that still apply, all at once; returns the ids that changed. */
  readonly change: (
    changes: ReadonlyArray<PoolChange>,
    atMs: number
  ) => Effect.Effect<ReadonlyArray<TransactionId>, StoreFailure>
  /**
   * Changes as above together with the greatest mark, if that is still `from`: drops the marks above `to`, and adds `to` where
   * it is not there. Null, and nothing happens, where the greatest mark is another one.
   */
  readonly settle: (
    step: {
      readonly from: SettledBatch | null
      readonly to: SettledBatch | null
      readonly changes: ReadonlyArray<PoolChange>
    },
    atMs: number
  ) => Effect.Effect<ReadonlyArray<TransactionId> | null, StoreFailure>
  /** Notes why pending transactions were passed over, in place of what was noted before. */
  readonly skip: (notes: ReadonlyArray<SkippedTransaction>) => Effect.Effect<void, StoreFailure>
}>()("rollup/core/PoolStore") {}
