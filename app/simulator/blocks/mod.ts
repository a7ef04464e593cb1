export * from "./batch.ts"
export * from "./block.ts"
export * from "./genesis.ts"
