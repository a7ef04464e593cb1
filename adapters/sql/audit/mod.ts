/** The audit of a database, and its last report. */
export { auditDatabase, lastAudit, saveAudit } from "./audit.ts"
export type { DatabaseAuditOptions } from "./_audit_snapshot.ts"
