/** The response cache, and the entity tags of its answers. */
export { measureAnswers } from "./cache_metrics.ts"
export { makeAnswers } from "./response_cache.ts"
