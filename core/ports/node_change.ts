import { Context, type Effect, type Scope } from "effect"
import type { PoolTransition } from "../domain/mod.ts"
import type { StoreFailure } from "./failures.ts"
import type { LedgerStamp } from "./ledger_snapshot.ts"

/** A change of the ledger or the pool. */
export type NodeChange =
  /** A block was applied; its batches follow. */
  | { readonly kind: "block"; readonly ethereumBlockNum: bigint; readonly stamp: LedgerStamp }
  | { readonly kind: "batch"; readonly batchNum: number; readonly stamp: LedgerStamp }
  /** All blocks after `toBlock` and all batches after `lastBatchNum` (0: all) were removed. */
  | {
    readonly kind: "rollBack"
    readonly toBlock: bigint
    readonly lastBatchNum: number
    readonly stamp: LedgerStamp
  }
  | { readonly kind: "prices"; readonly stamp: LedgerStamp }
  /** A transaction entered the pool (`from` is null), changed its state, or left (`to` is null). */
  | { readonly kind: "transition" } & PoolTransition
  /**
   * Changes were lost: read the state again. It happens if the connection to the database was
   * interrupted while the chain rolled back, or if the receiver is too slow.
   */
  | { readonly kind: "missed" }

/**
 * Port: reports the changes of a store that other processes also write. It calls `publish` with
 * each change after it is committed, in the order of the commits: that of the ledger for changes of
 * the ledger, and that of the pool for its transitions. Null, the default, if only this process
 * writes the store: its ports then see all changes.
 */
export const ChangeSource = Context.Reference<ChangeSource | null>("rollup/core/ChangeSource", {
  defaultValue: () => null
})

/** Reports changes until the scope closes. */
export type ChangeSource = (
  publish: (change: NodeChange) => void
) => Effect.Effect<void, StoreFailure, Scope.Scope>

/** Returns the changes between two snapshots of a ledger without a rollback in between. */
export const changesBetween = (
  before: LedgerStamp,
  stamp: LedgerStamp
): ReadonlyArray<NodeChange> => {
  const changes: Array<NodeChange> = []
  for (let block = before.ethereumBlockNum + 1n; block <= stamp.ethereumBlockNum; block++) {
    changes.push({ kind: "block", ethereumBlockNum: block, stamp })
  }
  const last = stamp.batchNum ?? 0
  for (let batchNum = (before.batchNum ?? 0) + 1; batchNum <= last; batchNum++) {
    changes.push({ kind: "batch", batchNum, stamp })
  }
  return changes.length === 0 && stamp.version > before.version
    ? [{ kind: "prices", stamp }]
    : changes
}
