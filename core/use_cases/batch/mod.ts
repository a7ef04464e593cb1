export * from "./batch_rows.ts"
export * from "./batch_transition.ts"
export * from "./process_batch.ts"
