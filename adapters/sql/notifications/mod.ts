/** Ledger versions and pool changes of other processes, received with LISTEN. */
export * from "./ledger_versions.ts"
export * from "./version_payload.ts"
