/** Stores in memory with a journal of their accepted writes in SQLite. */
export type { CheckpointReport } from "./checkpoint/mod.ts"
export { auditJournal } from "./audit.ts"
export { JournalError } from "./files/mod.ts"
export { exportFeed, journaledStores, type JournalOptions, JournalStores } from "./stores.ts"
export type { ReplayReport } from "./replay/mod.ts"
