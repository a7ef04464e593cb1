export {
  layer,
  layerOf,
  type LedgerOptions,
  type MemoryLedger,
  memoryReader,
  openMemoryLedger
} from "./ledger.ts"
export { MemoryWriting, turnOfOthers } from "./write_queue.ts"
export { type MemoryPoolStore, openMemoryPool, poolLayer } from "./pool/mod.ts"
export { auditMemoryRoot, type AuditedLedger, type NotedProof, openAuditedLedger } from "./audit.ts"
