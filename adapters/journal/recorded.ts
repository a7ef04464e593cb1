import { Context } from "effect"
import { LedgerReader, LedgerTip, LedgerWriter, PoolStore, PoolTip } from "../../core/ports/mod.ts"
import type { MemoryLedger, MemoryPoolStore } from "../memory/mod.ts"
import { journaledLedger } from "./_ledger.ts"
import { journaledPool } from "./_pool.ts"
import type { RecordLog } from "./record_log.ts"

export interface RecordedStoresOptions {
  readonly ledger: MemoryLedger
  readonly pool: MemoryPoolStore
  /** Names the ledger to clients that come again; its own name where absent. */
  readonly id?: string | undefined
  /** For each of the stores, since who reads the one need not wait for the other. */
  readonly logs: { readonly ledger: RecordLog; readonly pool: RecordLog }
}

/** Stores in memory that leave a record of each write that they accept, and show it when the log says so. */
export const recordedStores = ({ id, ledger, logs, pool }: RecordedStoresOptions): Context.Context<LedgerReader | LedgerWriter | PoolStore> => {
  const { reader, writer } = journaledLedger(ledger, logs.ledger)
  const isShown = (log: RecordLog) => log.failure === undefined && log.isDurable
  return Context.make(LedgerReader, reader).pipe(
    Context.add(LedgerWriter, writer), Context.add(PoolStore, journaledPool(pool, logs.pool)),
    // what must not be shown yet is not known either
    Context.add(LedgerTip, { id: id ?? ledger.id, version: () => isShown(logs.ledger) ? ledger.stamp().version : null, snapshot: ledger.snapshot, isRemote: false }),
    Context.add(PoolTip, { version: () => isShown(logs.pool) ? pool.tip.version() : null, versionOf: (key) => isShown(logs.pool) ? pool.tip.versionOf(key) : null })
  )
}
