/** Stores in memory: the ledger and the transaction pool. */
export { type AuditedLedger, auditMemoryLedger, auditRecord, openAuditedLedger } from "./audit.ts"
export {
  type LedgerImage,
  type LedgerOptions,
  type MemoryLedger,
  openMemoryLedger
} from "./ledger.ts"
export {
  layer,
  layerOf,
  ledgerWriter,
  memoryHistory,
  memoryReader,
  type RecordWrite
} from "./ledger_ports.ts"
export { type MemoryPoolStore, openMemoryPool, type PoolImage, poolLayer } from "./pool/mod.ts"
