export {
  layer,
  layerOf,
  type LedgerOptions,
  type MemoryLedger,
  memoryReader,
  openMemoryLedger
} from "./ledger.ts"
export { MemoryWriting, turnOfOthers } from "./writing.ts"
export { type MemoryPoolStore, openMemoryPool, poolLayer } from "./pool.ts"
export { auditMemoryRoot, type AuditedLedger, type NotedProof, openAuditedLedger } from "./audit.ts"
