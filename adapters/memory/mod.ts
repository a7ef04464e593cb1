/** Stores in memory: the ledger and the transaction pool. */
export { type AuditedLedger, auditMemoryLedger, auditRecord, openAuditedLedger } from "./audit.ts"
export {
  layer,
  layerOf,
  type LedgerImage,
  type LedgerOptions,
  memoryHistory,
  type MemoryLedger,
  memoryReader,
  openMemoryLedger
} from "./ledger.ts"
export { type MemoryPoolStore, openMemoryPool, type PoolImage, poolLayer } from "./pool/mod.ts"
export { WriteQueue, yieldForLargeBlocks } from "./write_queue.ts"
