export * from "./block_violation.ts"
export * from "./boundary_decoder.ts"
