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
    ([settled]) => settled ?? null
  )

/**
 * Computes changes from the last settled batch and applies them. If another batch or a rollback is
 * settled in between, it computes them again, so that they do not overwrite its result. Returns the
 * changed ids.
 */
export const changeIfUnsettled = Effect.fnUntraced(function*(
  ports: Pick<PoolPorts, "pool">,
  changesSince: (
    settled: SettledBatch | null
  ) => Effect.Effect<ReadonlyArray<PoolChange>, StoreFailure>
): Effect.fn.Return<ReadonlyArray<TransactionId>, StoreFailure> {
  for (;;) {
    const settled = yield* lastSettledBatch(ports)
    const changes = yield* changesSince(settled)
    if (changes.length === 0) return []
    const changed = yield* ports.pool.settle(
      { from: settled, to: settled, changes },
      yield* Clock.currentTimeMillis
    )
    if (changed !== null) return changed
  }
})
