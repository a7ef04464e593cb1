export * from "./batch_transition.ts"
export * from "./process_batch.ts"
