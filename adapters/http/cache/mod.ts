/** The response cache, and the entity tags of its answers. */
export * from "./answer_stats.ts"
export * from "./response_cache.ts"
