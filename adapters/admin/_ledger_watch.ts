import { Context, Effect, type Scope } from "effect"
import {
  checkHealth,
  collect,
  gauge,
  type Health,
  LedgerReader,
  LatestLedgerVersion,
  measure,
  PoolStore,
  type SnapshotId,
  synchedBlockNum
} from "../../core/mod.ts"

/** Polling interval of the block in memory; the age of the ledger is accurate to it. */
const pollMs = 1000

/**
 * Registers the health check of the ledger and the metrics of ledger and pool, until the scope
 * closes.
 *
 * @param ageMaxMs time without a new block or head after which the process is not ready
 */
export const watchLedger = Effect.fnUntraced(function*(
  node: Context.Context<LedgerReader | PoolStore>,
  ageMaxMs: number | undefined
): Effect.fn.Return<void, never, Scope.Scope> {
  const reader = Context.get(node, LedgerReader)
  const changes = new LastChange()
  const snapshotId = Effect.tap(reader.snapshotId, (id) => Effect.sync(() => changes.note(id)))
  const latest = Context.get(node, LatestLedgerVersion)
  if (latest !== null) {
    const noteLatest = () => changes.note(latest.snapshot?.(latest.version() ?? -1)?.snapshotId)
    yield* Effect.acquireRelease(
      Effect.sync(() => setInterval(noteLatest, pollMs).unref()),
      (timer) => Effect.sync(() => clearInterval(timer))
    )
  }
  yield* checkHealth(
    "ledger",
    Effect.match(snapshotId, {
      onFailure: ({ message }): Health => ({
        state: "failing",
        detail: `The ledger cannot be read: ${message}`
      }),
      onSuccess: ({ version }) => healthAt(changes.ageMs(), ageMaxMs, version)
    })
  )
  yield* measureLedger(reader, snapshotId, changes)
  yield* measurePool(Context.get(node, PoolStore))
  yield* measure(gauge(
    "rollup_ledger_age_max_seconds",
    "Maximum age of the ledger while this process is ready; +Inf for no maximum",
    () => (ageMaxMs ?? Infinity) / 1000
  ))
})

/** The last block or head of the ledger that this process saw, and when it saw it first. */
class LastChange {
  #block: bigint | undefined
  #atMs = performance.now()

  /** Prices are no change: they may arrive from elsewhere while no block does. */
  note(snapshotId: SnapshotId | undefined): void {
    const block = snapshotId && synchedBlockNum(snapshotId)
    if (block === undefined || block === this.#block) return
    this.#block = block
    this.#atMs = performance.now()
  }

  ageMs(): number {
    return performance.now() - this.#atMs
  }
}

const healthAt = (
  ageMs: number,
  ageMaxMs: number | undefined,
  version: number
): Health => {
  const summary = `The ledger is at version ${version}; this process saw its last block ${
    Math.round(ageMs / 1000)
  } s ago`
  return ageMaxMs !== undefined && ageMs > ageMaxMs
    ? {
      state: "failing",
      detail: `${summary}, expected at most ${
        Math.round(ageMaxMs / 1000)
      } s; check the process that writes the ledger`
    }
    : { state: "ok", detail: summary }
}

/** Registers the metrics of one snapshot of the ledger, and how far it is behind the chain. */
const measureLedger = Effect.fnUntraced(function*(
  reader: LedgerReader["Service"],
  snapshotId: LedgerReader["Service"]["snapshotId"],
  changes: LastChange
) {
  yield* collect(
    "rollup_ledger",
    Effect.map(snapshotId, (id) => {
      const { batchNum, version } = id
      return [
        gauge("rollup_ledger_version", "Version of the ledger", () => version),
        gauge(
          "rollup_ledger_block",
          "Ethereum block up to which the ledger is synchronised",
          () => Number(synchedBlockNum(id))
        ),
        ...batchNum === null
          ? []
          : [gauge("rollup_ledger_batch", "Last batch of the ledger", () => batchNum)],
        gauge(
          "rollup_ledger_age_seconds",
          "Time since this process saw a new block or head of the ledger",
          () => changes.ageMs() / 1000
        )
      ]
    })
  )
  yield* collect(
    "rollup_ledger_blocks_behind",
    Effect.map(reader.state, ({ state }) => [
      gauge(
        "rollup_ledger_blocks_behind",
        "Ethereum blocks known to the writer and not yet in the ledger",
        () => Number(state.lastEthereumBlock - state.lastSynchedBlock)
      )
    ])
  )
})

const measurePool = (pool: PoolStore["Service"]) =>
  collect(
    "rollup_pool_transactions",
    Effect.map(pool.counts, (counts) =>
      Object.entries(counts).map(([state, count]) =>
        gauge(
          "rollup_pool_transactions",
          "Transactions in the pool, by state: pending, forging, forged and invalid",
          () => count,
          { state }
        )
      ))
  )
