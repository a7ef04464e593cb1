/**
 * The pure core: domain, contract, ports and use cases. Stores and servers are adapters to its
 * ports.
 */
export * from "./contract/mod.ts"
export * from "./domain/mod.ts"
export * from "./encoding/mod.ts"
export * from "./ports/mod.ts"
export * from "./use_cases/mod.ts"
