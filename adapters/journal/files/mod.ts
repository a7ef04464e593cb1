/** The files beside the database of a journal, and its errors. */
export * from "./file_identity.ts"
export * from "./holder.ts"
export * from "./journal_error.ts"
export * from "./last_acknowledged.ts"
export * from "./sync_directory.ts"
export * from "./write_ahead_log.ts"
