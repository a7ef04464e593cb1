export * from "./client_types.ts"
