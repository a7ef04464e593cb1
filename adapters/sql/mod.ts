/** The stores of ledger and pool over PostgreSQL, and the audit of their database. */
export { auditDatabase, type DatabaseAuditOptions, lastAudit, saveAudit } from "./audit/mod.ts"
export { type BulkWrite, BulkWriter, type LeaseOptions } from "./writes/mod.ts"
export { Database, DatabaseError, databaseLayer, type DatabaseOptions } from "./connection/mod.ts"
export { migrate, type MigrateOptions, type Migration } from "./schema/mod.ts"
export { type SqlStores, sqlStores, type SqlStoresOptions } from "./stores.ts"
export { LedgerVersions } from "./notifications/mod.ts"
