/** The transaction pool in memory. */
export * from "./pool.ts"
export * from "./pool_image.ts"
