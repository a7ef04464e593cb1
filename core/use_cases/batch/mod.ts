export * from "./batch_transition.ts"
export { processBatch } from "./process_batch.ts"
