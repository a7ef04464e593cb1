/** Writes to stores that may be unavailable or full. */
export * from "./guarded_stores.ts"
export * from "./store_retry.ts"
