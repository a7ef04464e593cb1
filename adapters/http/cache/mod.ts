/** The response cache, and the entity tags of its answers. */
export { measureResponseCache } from "./cache_metrics.ts"
export { ResponseCache } from "./response_cache.ts"
