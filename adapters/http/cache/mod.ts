/** The response cache, and the entity tags of its answers. */
export * from "./cache_metrics.ts"
export * from "./response_cache.ts"
