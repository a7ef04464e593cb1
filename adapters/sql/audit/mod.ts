/** The audit of a database, and its last result. */
export { auditDatabase } from "./audit.ts"
export type { DatabaseAuditOptions } from "./audit_options.ts"
export { keepAudit, lastAudit } from "./audit_result.ts"
