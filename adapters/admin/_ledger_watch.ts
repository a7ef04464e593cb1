import { Effect, type Scope } from "effect"
import {
  checkHealth,
  collect,
  gauge,
  type Health,
  type LedgerReader,
  type LedgerTip,
  measure,
  type PoolStore,
  synchedBlockNum
} from "../../core/mod.ts"

export interface LedgerWatchOptions {
  readonly reader: LedgerReader["Service"]
  readonly pool: PoolStore["Service"]
  readonly tip: LedgerTip | null
  /**
   * Time without a change of the ledger after which the process is not ready; undefined for none.
   */
  readonly ledgerAgeMaxMs: number | undefined
}

/** Polling interval of the version in memory; the age of the ledger is accurate to it. */
const pollMs = 1000

/**
 * Registers the health check of the ledger and the metrics of ledger and pool, until the scope
 * closes.
 */
export const watchLedger = Effect.fnUntraced(function*(
  { ledgerAgeMaxMs, pool, reader, tip }: LedgerWatchOptions
): Effect.fn.Return<void, never, Scope.Scope> {
  let version: number | null = null
  let changedMs = Date.now()
  const noteVersion = (current: number | null) => {
    if (current === null || current === version) return
    version = current
    changedMs = Date.now()
  }
  const stamp = Effect.tap(reader.stamp, ({ version }) => Effect.sync(() => noteVersion(version)))
  if (tip !== null) {
    yield* Effect.acquireRelease(
      Effect.sync(() => setInterval(() => noteVersion(tip.version()), pollMs).unref()),
      (timer) => Effect.sync(() => clearInterval(timer))
    )
  }
  const ageMs = Effect.map(stamp, () => Date.now() - changedMs)

  yield* checkHealth(
    "ledger",
    Effect.match(ageMs, {
      onFailure: ({ message }): Health => ({
        state: "failing",
        detail: `The ledger cannot be read: ${message}`
      }),
      onSuccess: (ageMs): Health => {
        const summary = `The ledger is at version ${version}; this process saw its last change ${
          Math.round(ageMs / 1000)
        } s ago`
        return ledgerAgeMaxMs !== undefined && ageMs > ledgerAgeMaxMs
          ? {
            state: "failing",
            detail: `${summary}, expected at most ${
              Math.round(ledgerAgeMaxMs / 1000)
            } s; check the process that writes the ledger`
          }
          : { state: "ok", detail: summary }
      }
    })
  )

  const collectGauge = (
    name: string,
    description: string,
    value: Effect.Effect<number | null, unknown>
  ) =>
    collect(
      name,
      Effect.map(value, (value) => value === null ? [] : [gauge(name, description, () => value)])
    )
  const transactions = (state: string, count: number) =>
    gauge(
      "rollup_pool_transactions",
      "Transactions in the pool, by state: pending, forging, forged and invalid",
      () => count,
      { state }
    )
  yield* Effect.all([
    collectGauge(
      "rollup_ledger_version",
      "Version of the ledger",
      Effect.map(stamp, ({ version }) => version)
    ),
    collectGauge(
      "rollup_ledger_block",
      "Ethereum block up to which the ledger is synchronised",
      Effect.map(stamp, (of) => Number(synchedBlockNum(of)))
    ),
    collectGauge(
      "rollup_ledger_batch",
      "Last batch of the ledger",
      Effect.map(stamp, ({ batchNum }) => batchNum)
    ),
    collectGauge(
      "rollup_ledger_age_seconds",
      "Time since this process saw the ledger change",
      Effect.map(ageMs, (ms) => ms / 1000)
    ),
    collectGauge(
      "rollup_ledger_blocks_behind",
      "Ethereum blocks known to the writer and not yet in the ledger",
      Effect.map(
        reader.state,
        ({ state }) => Number(state.lastEthereumBlock - state.lastSynchedBlock)
      )
    ),
    collect(
      "rollup_pool_transactions",
      Effect.map(
        pool.counts,
        (counts) => Object.entries(counts).map(([state, count]) => transactions(state, count))
      )
    ),
    measure(gauge(
      "rollup_ledger_age_max_seconds",
      "Maximum age of the ledger while this process is ready; +Inf for no maximum",
      () => (ledgerAgeMaxMs ?? Infinity) / 1000
    ))
  ], { discard: true })
})
