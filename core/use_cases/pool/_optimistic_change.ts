import { Clock, Effect } from "effect"
import type { PoolState } from "../../domain/mod.ts"
import type { TransactionId } from "../../encoding/mod.ts"
import type {
  LedgerReader,
  PoolChange,
  Pooled,
  PoolFilters,
  PoolStore,
  ReconciledBatch,
  StoreFailure
} from "../../ports/mod.ts"

/** The ports of the pool's use cases. */
export interface PoolPorts {
  readonly reader: LedgerReader["Service"]
  readonly pool: PoolStore["Service"]
}

/** Greater than every batch number. */
const batchNumLimit = 2 ** 32

/**
 * Returns the transactions of some states with a batch number within inclusive bounds, ascending in
 * each state.
 */
export const inBatches = (
  { pool }: Pick<PoolPorts, "pool">,
  states: ReadonlyArray<Exclude<PoolState, "pend">>,
  from: number,
  to = batchNumLimit
): Effect.Effect<ReadonlyArray<Pooled>, StoreFailure> =>
  Effect.map(
    Effect.forEach(states, (state) => pool.inBatches({ state, from, to })),
    (found) => found.flat()
  )

/** Returns all transactions that the filters match, in the order of arrival. */
export const listAll = (
  { pool }: Pick<PoolPorts, "pool">,
  filters: PoolFilters,
  order: "ASC" | "DESC" = "ASC"
) =>
  Effect.map(
    pool.list({ filters, fromArrival: null, order, limit: Number.MAX_SAFE_INTEGER }),
    ({ items }) => items
  )

/**
 * Returns a change that applies only to the transaction that was read, if it still has the state that
 * was read.
 */
export const changeOf = (
  { arrival, transaction: { batchNum: fromBatchNum, id, state: from } }: Pooled,
  to: PoolState | null,
  batchNum: number | null,
  reason: string
): PoolChange => ({ id, arrival, from, fromBatchNum, to, batchNum, reason })

/** Returns the greatest batch that the pool has reconciled, or null. */
export const lastReconciledBatch = (
  { pool }: Pick<PoolPorts, "pool">
): Effect.Effect<ReconciledBatch | null, StoreFailure> =>
  Effect.map(
    pool.reconciledBatchesBelow({ batchNum: batchNumLimit, limit: 1 }),
    ([reconciled]) => reconciled ?? null
  )

/**
 * Computes changes from the last reconciled batch and applies them. If another batch or a rollback is
 * reconciled in between, it computes them again, so that they do not overwrite its result. Returns the
 * changed ids.
 */
export const changeUnlessReconciled = Effect.fnUntraced(function*(
  ports: Pick<PoolPorts, "pool">,
  changesSince: (
    reconciled: ReconciledBatch | null
  ) => Effect.Effect<ReadonlyArray<PoolChange>, StoreFailure>
): Effect.fn.Return<ReadonlyArray<TransactionId>, StoreFailure> {
  for (;;) {
    const reconciled = yield* lastReconciledBatch(ports)
    const changes = yield* changesSince(reconciled)
    if (changes.length === 0) return []
    const changed = yield* ports.pool.reconcile(
      { from: reconciled, to: reconciled, changes },
      yield* Clock.currentTimeMillis
    )
    if (changed !== null) return changed
  }
})
