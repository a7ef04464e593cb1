/** Checkpoints: the state of the stores beside the records that lead to it. */
export * from "./manifest.ts"
export * from "./reader.ts"
export * from "./parts.ts"
export * from "./schedule.ts"
export * from "./writer.ts"
