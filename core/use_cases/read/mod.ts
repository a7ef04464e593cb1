export * from "./answer.ts"
export * from "./dependencies.ts"
export * from "./read.ts"
export * from "./read_failures.ts"
