import { Context, type Effect } from "effect"
import type { PageCounts } from "../contract/mod.ts"
import type {
  AccountOwner,
  Authorization,
  PoolState,
  PoolTransaction,
  PoolTransactionType,
  PoolTransition,
  SkippedTransaction,
  TokenId
} from "../domain/mod.ts"
import type {
  AccountIndex,
  EthereumAddress,
  GroupId,
  PublicKey,
  TransactionId
} from "../encoding/mod.ts"
import type { StoreFailure } from "./failures.ts"

/**
 * The owners of the accounts of a transaction when it was posted. After a rollback the accounts can
 * belong to others.
 */
export interface TransactionOwners {
  /** Its key verified the signature. */
  readonly sender: AccountOwner
  /** Null if the transaction pays no account: an exit, and a transfer to an address or a key. */
  readonly receiver: AccountOwner | null
}

/** A transaction with the owners of its accounts. */
export interface OwnedTransaction extends TransactionOwners {
  readonly transaction: PoolTransaction
}

/** A transaction in the pool, with data that no answer contains. */
export interface Pooled extends OwnedTransaction {
  /** Time of the last transition, milliseconds since 1970. */
  readonly sinceMs: number
  /** Increases with every transaction that enters the pool; never reused. */
  readonly arrival: number
}

/** Limits of a pool, in pending transactions. */
export interface PoolLimits {
  readonly pendingMax: number
  readonly pendingPerAccountMax: number
}

/** The result of adding a transaction, or the transactions of a group. */
export type AddResult =
  | { readonly kind: "added" }
  /** The pool has a transaction with one of the ids, and does not change it. */
  | { readonly kind: "known" }
  /** `account` is a sender whose transaction exceeds the limit. */
  | { readonly kind: "full"; readonly limit: keyof PoolLimits; readonly account: AccountIndex }

/** A transaction to replace. */
export interface ReplacedTransaction {
  readonly id: TransactionId
  /** Its arrival when it was read; null for whatever transaction has the id. */
  readonly arrival: number | null
}

/** The result of replacing a transaction. */
export type ReplaceResult =
  /**
   * `from` and `batchNum` are those of the replaced transaction, `reason` is that of the transition
   * with which it left the pool.
   */
  | {
    readonly kind: "replaced"
    readonly from: PoolState
    readonly batchNum: number | null
    readonly reason: string
  }
  /**
   * The replaced transaction is not in the pool, is neither pending nor invalid, belongs to a group, or
   * is another one with the same id.
   */
  | { readonly kind: "changed" }
  | Exclude<AddResult, { readonly kind: "added" }>

/**
 * A transition of a transaction. It applies only if the transaction still has the state `from` and
 * the batch `fromBatchNum`, and the arrival, if there is one: a transaction that replaced it under the
 * same id has another. If `to` is null, it removes the transaction from the pool. The changes
 * of one call that concern the same group apply only if all of them can.
 */
export interface PoolChange {
  readonly id: TransactionId
  readonly arrival?: number
  readonly from: PoolState
  readonly fromBatchNum: number | null
  readonly to: PoolState | null
  readonly batchNum: number | null
  readonly reason: string
}

/**
 * One side of a transaction. Each member that is present adds the transactions whose sender or
 * destination it is, or whose account belonged to it when they were posted.
 */
export interface PoolParty {
  readonly accounts?: ReadonlyArray<AccountIndex>
  readonly address?: EthereumAddress
  readonly publicKey?: PublicKey
}

/** The conditions of a list of the pool: every one that is not undefined must hold. */
export interface PoolFilters {
  readonly id?: TransactionId | undefined
  readonly group?: GroupId | undefined
  /** One of these states. */
  readonly states?: ReadonlyArray<PoolState> | undefined
  readonly type?: PoolTransactionType | undefined
  readonly tokenId?: TokenId | undefined
  /** The sender or the receiver. */
  readonly party?: PoolParty | undefined
  readonly from?: PoolParty | undefined
  readonly to?: PoolParty | undefined
}

/** A page of the pool, in the order of arrival. */
export interface PoolPageQuery {
  readonly filters: PoolFilters
  /** First arrival of the page, inclusive; null for the first one of the order. */
  readonly fromArrival: number | null
  readonly order: "ASC" | "DESC"
  readonly limit: number
}

/** A transaction of a page, and why the last selection skipped it. */
export interface ListedTransaction {
  readonly pooled: Pooled
  readonly skipped: SkippedTransaction | null
  /** The reason of the transition that made it invalid; null in any other state. */
  readonly invalidReason: string | null
}

/** A page of the pool. Item ids are arrivals plus 1. */
export interface PoolPage {
  readonly items: ReadonlyArray<ListedTransaction>
  readonly counts: PageCounts
}

/** A batch that the pool has reconciled: its number, and the hash of its Ethereum block. */
export interface ReconciledBatch {
  readonly batchNum: number
  readonly ethereumBlockHash: string
}

/** The last reconciled batch before and after a reconciliation, and its changes. */
export interface ReconcileStep {
  readonly from: ReconciledBatch | null
  readonly to: ReconciledBatch | null
  readonly changes: ReadonlyArray<PoolChange>
}

/**
 * Port: stores the transactions of the pool and the authorizations, which are not on chain. It
 * contains no rules: each write is atomic, compares the stored state with the state that its caller
 * has read, and returns the changed ids. The cost of a read is proportional to the size of its
 * result and does not depend on the size of the pool, except for `list`.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { PoolStore } from "rollup-node-api"
 * import { poolLayer } from "rollup-node-api/memory"
 *
 * const id = `0x02${"0".repeat(64)}`
 * const reading = Effect.gen(function*() {
 *   const pool = yield* PoolStore
 *   return { counts: yield* pool.counts, transaction: yield* pool.transaction(id) }
 * })
 * const { counts, transaction } = await Effect.runPromise(Effect.provide(reading, poolLayer))
 * console.log(counts.pend, transaction) // => 0 null
 * ```
 */
export class PoolStore extends Context.Service<PoolStore, {
  /** Returns the transaction with an id; null if it is not in the pool. */
  readonly transaction: (id: TransactionId) => Effect.Effect<PoolTransaction | null, StoreFailure>
  /** Returns the authorization of an address; null if there is none. */
  readonly authorization: (
    address: EthereumAddress
  ) => Effect.Effect<Authorization | null, StoreFailure>
  /**
   * Returns every transition of a transaction, oldest first, also after it left the pool; empty if
   * it never entered. A store may drop the transitions some time after the transaction left.
   */
  readonly transitions: (
    id: TransactionId
  ) => Effect.Effect<ReadonlyArray<PoolTransition>, StoreFailure>
  /**
   * Returns why a selection skipped a transaction; null if none skipped it since it became pending,
   * or a later one selected it, or a rollback removed a batch that the selection saw.
   */
  readonly skippedTransaction: (
    id: TransactionId
  ) => Effect.Effect<SkippedTransaction | null, StoreFailure>
  /** Number of transactions in each state. */
  readonly counts: Effect.Effect<{ readonly [State in PoolState]: number }, StoreFailure>
  /** Returns the transactions of these ids that are in the pool, in the order of the ids. */
  readonly pooled: (
    ids: ReadonlyArray<TransactionId>
  ) => Effect.Effect<ReadonlyArray<Pooled>, StoreFailure>
  /**
   * Returns the transactions of these groups that are in the pool, in the order of the ids and of
   * their positions.
   */
  readonly members: (
    ids: ReadonlyArray<GroupId>
  ) => Effect.Effect<ReadonlyArray<Pooled>, StoreFailure>
  /** Returns the number of pending transactions of an account. */
  readonly pendingOf: (index: AccountIndex) => Effect.Effect<number, StoreFailure>
  /** Tokens that have pending transactions, ascending. */
  readonly pendingTokens: Effect.Effect<ReadonlyArray<TokenId>, StoreFailure>
  /**
   * Returns pending transactions of a token after `after`: greatest fee in units first, then by
   * arrival. `after` itself need not be in the pool any more.
   */
  readonly pendingByFee: (
    query: { readonly tokenId: TokenId; readonly after: Pooled | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Pooled>, StoreFailure>
  /** Returns transactions that became pending before a time, oldest first. */
  readonly pendingSince: (
    query: { readonly beforeMs: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Pooled>, StoreFailure>
  /** Returns pending transactions whose last batch is below a batch number, ascending. */
  readonly pendingExpired: (
    belowBatchNum: number
  ) => Effect.Effect<ReadonlyArray<Pooled>, StoreFailure>
  /** Returns the pending transactions of each account with a nonce below `nonce`. */
  readonly pendingBelow: (
    nonces: ReadonlyArray<{ readonly index: AccountIndex; readonly nonce: bigint }>
  ) => Effect.Effect<ReadonlyArray<Pooled>, StoreFailure>
  /** Returns the transactions of a state with a batch number within inclusive bounds, ascending. */
  readonly inBatches: (
    query: {
      readonly state: Exclude<PoolState, "pend">
      readonly from: number
      readonly to: number
    }
  ) => Effect.Effect<ReadonlyArray<Pooled>, StoreFailure>
  /**
   * Returns a page of the transactions that the filters match, with exact counts. The
   * cost grows with the number of transactions of the group, accounts and destinations in the
   * filters, or of the whole pool if they have only a token or a type, each time only of those in
   * the states of the filters; with `id`, it is constant. With states alone it is that of the page;
   * a store may count the transactions that follow it.
   */
  readonly list: (query: PoolPageQuery) => Effect.Effect<PoolPage, StoreFailure>
  /** Returns the greatest reconciled batches below a batch number, at most `limit`, descending. */
  readonly reconciledBatchesBelow: (
    query: { readonly batchNum: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<ReconciledBatch>, StoreFailure>

  /**
   * Adds a pending transaction, unless its id exists or a limit is reached. Checks and insert are
   * one transaction.
   */
  readonly addTransaction: (
    transaction: PoolTransaction,
    owners: TransactionOwners,
    limits: PoolLimits
  ) => Effect.Effect<AddResult, StoreFailure>
  /**
   * Adds the pending transactions of a group, unless one of their ids exists or a limit would be
   * exceeded. Adds all or none, in one transaction.
   */
  readonly addGroup: (
    group: ReadonlyArray<OwnedTransaction>,
    limits: PoolLimits
  ) => Effect.Effect<AddResult, StoreFailure>
  /**
   * Removes a pending or invalid transaction and adds a pending one, with the same id or with one
   * that the pool does not have, in one transaction. Both have the same sender. A limit applies only
   * if the removed one is invalid. A transaction of a group cannot be replaced.
   */
  readonly replaceTransaction: (
    replaced: ReplacedTransaction,
    transaction: PoolTransaction,
    owners: TransactionOwners,
    limits: PoolLimits
  ) => Effect.Effect<ReplaceResult, StoreFailure>
  /** Adds an authorization unless the address has one. Returns the stored one. */
  readonly addAuthorization: (
    authorization: Authorization
  ) => Effect.Effect<
    { readonly added: boolean; readonly authorization: Authorization },
    StoreFailure
  >
  /** Applies the changes whose `from` still holds, in one transaction. Returns the changed ids. */
  readonly change: (
    changes: ReadonlyArray<PoolChange>,
    atMs: number
  ) => Effect.Effect<ReadonlyArray<TransactionId>, StoreFailure>
  /**
   * Applies the changes and moves the last reconciled batch from `from` to `to`, in one transaction:
   * it removes the reconciled batches above `to`, and adds `to` if it is missing. If `to` is below
   * `from`, it also removes the reasons of selections that saw a batch above `to`. Returns null and
   * changes nothing if the last reconciled batch is not `from`.
   */
  readonly reconcile: (
    step: ReconcileStep,
    atMs: number
  ) => Effect.Effect<ReadonlyArray<TransactionId> | null, StoreFailure>
  /**
   * Stores why a selection skipped pending transactions; replaces older reasons. Removes those of the
   * selected transactions.
   */
  readonly skip: (
    notes: ReadonlyArray<SkippedTransaction>,
    selected: ReadonlyArray<TransactionId>
  ) => Effect.Effect<void, StoreFailure>
}>()("rollup/core/PoolStore") {}

/**
 * Returns the reason of the transition with which a replaced transaction leaves the pool. If the other
 * one has the same id, the signatures tell them apart.
 *
 * @example
 * ```ts
 * import { replacedReason } from "rollup-node-api"
 *
 * console.log(replacedReason({ id: "0x02aa", signature: "8f" }, "0x02ab"))
 * // => Replaced by transaction 0x02ab
 * console.log(replacedReason({ id: "0x02aa", signature: "8f" }, "0x02aa"))
 * // => Replaced under the same id: the signature was 8f
 * ```
 */
export const replacedReason = (
  { id, signature }: Pick<PoolTransaction, "id" | "signature">,
  by: TransactionId
): string =>
  id === by
    ? `Replaced under the same id: the signature was ${signature.toLowerCase()}`
    : `Replaced by transaction ${by}`
