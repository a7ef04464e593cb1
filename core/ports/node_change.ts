import { Context, type Effect, type Scope } from "effect"
import type { PoolTransition } from "../domain/mod.ts"
import type { StoreFailure } from "./failures.ts"
import type { SnapshotId } from "./ledger_snapshot.ts"

/** A change of the ledger or the pool. */
export type NodeChange =
  /** A block was applied; its batches follow. The empty blocks of a gap are not reported. */
  | { readonly kind: "block"; readonly ethereumBlockNum: bigint; readonly snapshotId: SnapshotId }
  | { readonly kind: "batch"; readonly batchNum: number; readonly snapshotId: SnapshotId }
  /**
   * All blocks after `toBlock`, now the last one, and all batches after `lastBatchNum` (0: all) were
   * removed.
   */
  | {
    readonly kind: "rollBack"
    readonly toBlock: bigint
    readonly lastBatchNum: number
    readonly snapshotId: SnapshotId
  }
  | { readonly kind: "prices"; readonly snapshotId: SnapshotId }
  /** The writer is synchronised up to `ethereumBlockNum`, or knows a newer block of the chain. */
  | { readonly kind: "head"; readonly ethereumBlockNum: bigint; readonly snapshotId: SnapshotId }
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
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { ChangeSource, type NodeChange } from "rollup-node-api"
 *
 * const snapshotId = { ethereumBlockNum: 18000001n, batchNum: null, version: 1 }
 * const source: ChangeSource = (publish) =>
 *   Effect.sync(() => publish({ kind: "block", ethereumBlockNum: 18000001n, snapshotId }))
 * const changes: Array<NodeChange> = []
 * const subscribe = Effect.gen(function*() {
 *   const source = yield* ChangeSource
 *   if (source !== null) yield* source((change) => changes.push(change))
 * })
 * await Effect.runPromise(Effect.scoped(Effect.provideService(subscribe, ChangeSource, source)))
 * console.log(changes.map(({ kind }) => kind)) // => [ 'block' ]
 * ```
 */
export const ChangeSource = Context.Reference<ChangeSource | null>("rollup/core/ChangeSource", {
  defaultValue: () => null
})

/** Reports changes until the scope closes. */
export type ChangeSource = (
  publish: (change: NodeChange) => void
) => Effect.Effect<void, StoreFailure, Scope.Scope>
