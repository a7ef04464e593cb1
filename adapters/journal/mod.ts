/** Stores in memory with a journal of their accepted writes in SQLite. */
export type { CheckpointReport } from "./checkpoint/mod.ts"
export { auditJournal } from "./audit.ts"
export { JournalError } from "./journal_error.ts"
export { exportFeed, journaledStores, type JournalOptions, JournalStores } from "./stores.ts"
export { applyEntry, type ReplayReport, type ReplayTarget } from "./_replay.ts"
export type { LogEntry, OnSettled, RecordLog } from "./record_log.ts"
export { recordedStores, type RecordedStoresOptions } from "./recorded_stores.ts"
