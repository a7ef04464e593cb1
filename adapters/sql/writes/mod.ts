/**
 * The write port of the ledger over PostgreSQL: the lease of the writer process, and one
 * transaction for each block or rollback, or for many of them.
 */
export * from "./bulk_write.ts"
export * from "./lease.ts"
export * from "./ledger_writer.ts"
export * from "./open_ledger.ts"
