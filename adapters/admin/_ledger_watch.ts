import { Effect, type Scope } from "effect"
import {
  checkHealth,
  collect,
  gauge,
  type Health,
  type LedgerReader,
  type LedgerTip,
  measure,
  type PoolStore
} from "../../core/mod.ts"

export interface LedgerWatchOptions {
  readonly reader: LedgerReader["Service"]
  readonly pool: PoolStore["Service"]
  readonly tip: LedgerTip | null
  /** How long the ledger may stand still before this process is not ready any more; any time where absent. */
  readonly ledgerAgeMaxMs: number | undefined
}

/** How often the version is looked at, which is a number in memory: ages are right to a second. */
const lookMs = 1000

/** Watches the ledger and the pool, for as long as the scope lives. */
export const watchLedger = Effect.fnUntraced(function*(
  { ledgerAgeMaxMs, pool, reader, tip }: LedgerWatchOptions
): Effect.fn.Return<void, never, Scope.Scope> {
  let version: number | null = null
  let changedMs = Date.now()
  const seen = (now: number | null) => {
    if (now === null || now === version) return
    version = now
    changedMs = Date.now()
  }
  const stamp = Effect.tap(reader.stamp, ({ version }) => Effect.sync(() => seen(version)))
  if (tip !== null) {
    yield* Effect.acquireRelease(
      Effect.sync(() => setInterval(() => seen(tip.version()), lookMs).unref()),
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
        const told = `The ledger stands at version ${version} and last changed ${
          Math.round(ageMs / 1000)
        } s ago, as far as this process has seen`
        return ledgerAgeMaxMs !== undefined && ageMs > ledgerAgeMaxMs
          ? {
            state: "failing",
            detail: `${told}: expected at most ${
              Math.round(ledgerAgeMaxMs / 1000)
            } s; look at who writes it`
          }
          : { state: "ok", detail: told }
      }
    })
  )

  const read = (name: string, description: string, value: Effect.Effect<number | null, unknown>) =>
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
    read(
      "rollup_ledger_version",
      "Version of the ledger",
      Effect.map(stamp, ({ version }) => version)
    ),
    read(
      "rollup_ledger_block",
      "Last Ethereum block of the ledger",
      Effect.map(stamp, ({ ethereumBlockNum }) => Number(ethereumBlockNum))
    ),
    read(
      "rollup_ledger_batch",
      "Last batch of the ledger",
      Effect.map(stamp, ({ batchNum }) => batchNum)
    ),
    read(
      "rollup_ledger_age_seconds",
      "Time since the ledger last changed, as far as this process has seen",
      Effect.map(ageMs, (ms) => ms / 1000)
    ),
    read(
      "rollup_ledger_blocks_behind",
      "Ethereum blocks that the writer knows of and the ledger does not hold",
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
      "Age of the ledger above which this process is not ready; +Inf for none",
      () => (ledgerAgeMaxMs ?? Infinity) / 1000
    ))
  ], { discard: true })
})
