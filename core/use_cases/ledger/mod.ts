export * from "./ledger.ts"
export * from "./rows.ts"
export * from "./staged_ledger.ts"
