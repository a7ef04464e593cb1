import { Clock, Effect } from "effect"
import type { TransactionId } from "../../encoding/mod.ts"
import type {
  LedgerReader,
  PoolChange,
  PoolStore,
  SettledBatch,
  StoreFailure
} from "../../ports/mod.ts"

/** The ports of the pool's use cases. */
export interface PoolPorts {
  readonly reader: LedgerReader["Service"]
  readonly pool: PoolStore["Service"]
}

/** Greater than every batch number. */
export const batchNumLimit = 2 ** 32

/** Returns the greatest batch that the pool has settled, or null. */
export const lastSettledBatch = (
  { pool }: Pick<PoolPorts, "pool">
): Effect.Effect<SettledBatch | null, StoreFailure> =>
  Effect.map(
    pool.settledBatchesBelow({ batchNum: batchNumLimit, limit: 1 }),
    ([mark]) => mark ?? null
  )

/**
 * Applies changes computed from the last settled batch. If a block or a rollback is settled in
 * between, it computes them again: otherwise they would overwrite the result of that settlement.
 */
export const changeIfUnsettled = Effect.fnUntraced(function*(
  ports: Pick<PoolPorts, "pool">,
  changesSince: (
    mark: SettledBatch | null
  ) => Effect.Effect<ReadonlyArray<PoolChange>, StoreFailure>
): Effect.fn.Return<ReadonlyArray<TransactionId>, StoreFailure> {
  for (;;) {
    const mark = yield* lastSettledBatch(ports)
    const changes = yield* changesSince(mark)
    if (changes.length === 0) return []
    const changed = yield* ports.pool.settle(
      { from: mark, to: mark, changes },
      yield* Clock.currentTimeMillis
    )
    if (changed !== null) return changed
  }
})
