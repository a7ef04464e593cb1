import type { Result } from "effect"
import type { BlockFeed, FeedRecord } from "../../../core/domain/mod.ts"
import type {
  Decision,
  DeferredDecision,
  PriorLedger,
  PlacedBlock,
  PlacedHead,
  PlacedPrices,
  RollBackReport,
  SnapshotId
} from "../../../core/ports/mod.ts"

/** What one write stores: blocks, prices of the last block, and heads. */
export type Placed = PlacedBlock | PlacedPrices | PlacedHead

/**
 * The result of one write: what was placed; null for a block that the ledger had already stored and
 * for a rollback.
 */
export interface WriteResult {
  readonly applied: boolean
  readonly placed: Placed | null
  /** Of a rollback; otherwise null. */
  readonly rolledBack: RollBackReport | null
  readonly snapshotId: SnapshotId
}

/**
 * A block with its decision, or prices for the last block, a head or a rollback with their check. All
 * see the ledger after the previous writes.
 */
export type BulkWrite<E> =
  | {
    readonly kind: "block"
    readonly block: BlockFeed
    readonly decide: (prior: PriorLedger) => Result.Result<Decision<E> | DeferredDecision<E>, E>
  }
  | CheckedWrite<"prices" | "head" | "rollBack", E>

/** Records of some kinds with the check that they need. */
export type CheckedWrite<Kind extends FeedRecord["kind"], E> =
  & Extract<FeedRecord, { readonly kind: Kind }>
  & { readonly check: (prior: PriorLedger) => Result.Result<void, E> }
