/** Stores in memory with a journal of their accepted writes in SQLite. */
export type { CheckpointReport } from "./checkpoint/mod.ts"
export { auditJournal } from "./audit.ts"
export { JournalError } from "./files/mod.ts"
export { exportFeed, journaledStores, type JournalOptions, JournalStores } from "./stores.ts"
export { applyEntry, type ReplayReport, type ReplayTarget } from "./replay/mod.ts"
export type { LogEntry, OnSettled, RecordLog } from "./log/mod.ts"
export { recordedStores, type RecordedStoresOptions } from "./recorded_stores.ts"
