/** The transaction pool in memory. */
export { type MemoryPoolStore, openMemoryPool, type PoolImage, poolLayer } from "./pool.ts"
