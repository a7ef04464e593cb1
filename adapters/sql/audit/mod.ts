/** The audit of a database, and its last report. */
export * from "./audit.ts"
export * from "./_audit_snapshot.ts"
