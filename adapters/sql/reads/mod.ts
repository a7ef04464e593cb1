/** The read port of the ledger over PostgreSQL: one statement for each answer. */
export { makeLedgerHistory } from "./ledger_history.ts"
export { type LedgerReaderOptions, makeLedgerReader } from "./ledger_reader.ts"
export { isCopyOf, preferReplica } from "./replica.ts"
export type { OnVersion } from "./_run_query.ts"
