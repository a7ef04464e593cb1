export { JournalError } from "./journal_error.ts"
export { exportFeed, journaledStores, type JournalOptions, JournalStores } from "./stores.ts"
export type { ReplayReport } from "./_replay.ts"
