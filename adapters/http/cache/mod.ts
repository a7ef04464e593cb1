/** The response cache, and the entity tags of its answers. */
export { measureResponseCache } from "./cache_metrics.ts"
export { type Computation, type ReadRequest, ResponseCache } from "./response_cache.ts"
