/** The transaction pool in memory. */
export * from "./pool.ts"
export type { PoolImage } from "./_memory_pool.ts"
