/** The audit of a database, and its last report. */
export * from "./audit.ts"
export type { DatabaseAuditOptions } from "./_audit_tables.ts"
