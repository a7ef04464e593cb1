/** The transaction pool in memory. */
export { type MemoryPoolStore, openMemoryPool, poolLayer } from "./pool.ts"
