/** The read port of the ledger over PostgreSQL: one statement for each answer. */
export * from "./ledger_history.ts"
export * from "./ledger_reader.ts"
export * from "./pair_limit.ts"
export * from "./replica.ts"
export type { OnVersion } from "./_run_query.ts"
