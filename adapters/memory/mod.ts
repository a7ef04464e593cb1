export { layer, layerOf, type LedgerOptions, type MemoryLedger, openMemoryLedger } from "./ledger.ts"
export { openMemoryPool, poolLayer } from "./pool.ts"
