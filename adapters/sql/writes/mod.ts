/**
 * The write port of the ledger over PostgreSQL: the lease of the writer process, and one
 * transaction for each block or rollback.
 */
export { leaseLayer, type LeaseOptions } from "./lease.ts"
export { type BulkWrite, BulkWriter, makeLedgerWriter } from "./ledger_writer.ts"
export { openLedger } from "./open_ledger.ts"
