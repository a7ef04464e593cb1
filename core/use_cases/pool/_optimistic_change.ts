import { Clock, Effect } from "effect"
import type { TransactionId } from "../../encoding/mod.ts"
import type {
  SettledBatch,
  LedgerReader,
  PoolChange,
  PoolStore,
  StoreFailure
} from "../../ports/mod.ts"

/** What the pool's use cases work on. */
export interface PoolPorts {
  readonly reader: LedgerReader["Service"]
  readonly pool: PoolStore["Service"]
}

/** Above every batch number. */
export const batchNumLimit = 2 ** 32

/** The greatest batch that the pool has taken notice of, or null. */
export const lastSettledBatch = (
  { pool }: Pick<PoolPorts, "pool">
): Effect.Effect<SettledBatch | null, StoreFailure> =>
  Effect.map(
    pool.settledBatchesBelow({ batchNum: batchNumLimit, limit: 1 }),
    ([mark]) => mark ?? null
  )

/**
 * Makes changes that are right only while the pool has taken notice of the same batches: where a block or a rollback was settled since they
 * were worked out, they are worked out anew. Otherwise what that settlement said of a transaction would be overwritten for good.
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
