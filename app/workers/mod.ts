export * from "./group.ts"
export * from "./monitoring.ts"
export * from "./supervisor.ts"
export * from "./worker.ts"
