import type { Authorization, SkippedTransaction } from "../../../core/domain/mod.ts"
import type { Pooled, ReconciledBatch } from "../../../core/ports/mod.ts"
import type { TransactionHistory } from "./_transition_history.ts"

/**
 * The complete state of a pool at one time. Its rows are plain data and never change, so later
 * writes do not change it.
 */
export interface PoolImage {
  /** Number of transactions that ever entered the pool. */
  readonly arrivals: number
  /** The number of the first entry of `histories`. */
  readonly firstHistory: number
  readonly lists: {
    readonly pooled: ReadonlyArray<Pooled>
    /** Null if the transitions were forgotten. */
    readonly histories: ReadonlyArray<TransactionHistory | null>
    readonly authorizations: ReadonlyArray<Authorization>
    readonly skippedTransactions: ReadonlyArray<SkippedTransaction>
    readonly reconciledBatches: ReadonlyArray<ReconciledBatch>
  }
}
