import { Context } from "effect"
import { LedgerReader, LedgerTip, LedgerWriter, PoolStore, PoolTip } from "../../core/ports/mod.ts"
import type { MemoryLedger, MemoryPoolStore } from "../memory/mod.ts"
import { journaledLedger } from "./_journaled_ledger.ts"
import { journaledPool } from "./_journaled_pool.ts"
import type { RecordLog } from "./record_log.ts"

export interface RecordedStoresOptions {
  readonly ledger: MemoryLedger
  readonly pool: MemoryPoolStore
  readonly log: RecordLog
  /** Identifies the ledger in entity tags; the id of `ledger` by default. */
  readonly id?: string | undefined
}

/** Stores in memory that leave a record of each write that they accept, and show it when the log says so. */
export const recordedStores = (
  { id, ledger, log, pool }: RecordedStoresOptions
): Context.Context<LedgerReader | LedgerWriter | PoolStore> => {
  const { reader, writer } = journaledLedger(ledger, log)
  const isShown = () => log.failure === undefined && log.isDurable
  return Context.make(LedgerReader, reader).pipe(
    Context.add(LedgerWriter, writer),
    Context.add(PoolStore, journaledPool(pool, log)),
    // what must not be shown yet is not known either
    Context.add(LedgerTip, {
      id: id ?? ledger.id,
      version: () => isShown() ? ledger.stamp().version : null,
      snapshot: ledger.snapshot,
      isRemote: false
    }),
    Context.add(PoolTip, {
      version: () => isShown() ? pool.tip.version() : null,
      versionOf: (key) => isShown() ? pool.tip.versionOf(key) : null
    })
  )
}
