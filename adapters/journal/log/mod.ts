/** The log of a journal in SQLite. */
export * from "./chain_head.ts"
export * from "./commit_failure.ts"
export * from "./database.ts"
export * from "./journal.ts"
export * from "./reader.ts"
export * from "./record_log.ts"
