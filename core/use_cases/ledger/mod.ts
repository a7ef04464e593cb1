export * from "./ledger.ts"
