/** The transaction pool in memory. */
export { type MemoryPoolStore, openMemoryPool, poolLayer } from "./pool.ts"
export type { PoolImage } from "./pool_image.ts"
