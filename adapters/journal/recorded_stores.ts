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
