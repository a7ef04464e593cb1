import { Context } from "effect"
import { LedgerReader, LedgerTip, LedgerWriter, PoolStore, PoolTip } from "../../core/ports/mod.ts"
import type { MemoryLedger, MemoryPoolStore } from "../memory/mod.ts"
import { journaledLedger } from "./_journaled_ledger.ts"
import { journaledPool } from "./_journaled_pool.ts"
import type { RecordLog } from "./record_log.ts"

/** The stores in memory, and the log of their accepted writes. */
export interface RecordedStoresOptions {
  readonly ledger: MemoryLedger
  readonly pool: MemoryPoolStore
  /** Its entries must have been applied to the stores with `applyEntry`. */
  readonly log: RecordLog
  /** Identifies the ledger in entity tags; the id of `ledger` by default. */
  readonly id?: string | undefined
}

/**
 * Returns the ports of stores in memory that append each accepted write to a log. An answer waits
 * until the log is durable, and fails if the log has failed.
 *
 * ```ts
 * import { Context, Effect, Result } from "effect"
 * import { LedgerWriter } from "rollup-node-api"
 * import { type LogEntry, recordedStores } from "rollup-node-api/journal"
 * import { openMemoryLedger, openMemoryPool } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const entries: Array<LogEntry> = []
 * const log = {
 *   failure: undefined,
 *   isDurable: true,
 *   durable: Effect.void,
 *   append: (entry: LogEntry) => void entries.push(entry)
 * }
 * const ledger = openMemoryLedger({ genesis: simulate({ seed: 1 }).genesis })
 * const stores = recordedStores({ ledger, pool: openMemoryPool(), log })
 * await Effect.runPromise(Context.get(stores, LedgerWriter).setPrices([], () => Result.void))
 * console.log(entries.map(({ text }) => text).join()) // => {"kind":"prices","prices":[]}
 * ```
 */
export const recordedStores = (
  { id, ledger, log, pool }: RecordedStoresOptions
): Context.Context<LedgerReader | LedgerWriter | PoolStore> => {
  const { reader, writer } = journaledLedger(ledger, log)
  // a version is unknown until it is durable
  const isKnown = () => log.failure === undefined && log.isDurable
  return Context.make(LedgerReader, reader).pipe(
    Context.add(LedgerWriter, writer),
    Context.add(PoolStore, journaledPool(pool, log)),
    Context.add(LedgerTip, {
      id: id ?? ledger.id,
      version: () => isKnown() ? ledger.stamp().version : null,
      snapshot: ledger.snapshot,
      isRemote: false
    }),
    Context.add(PoolTip, {
      version: () => isKnown() ? pool.tip.version() : null,
      versionOf: (key) => isKnown() ? pool.tip.versionOf(key) : null
    })
  )
}
