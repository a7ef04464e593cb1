/** Ledger versions and pool changes of other processes, received with LISTEN. */
export {
  notifyPoolChange,
  notifyVersion,
  LedgerVersions,
  versionsLayer
} from "./ledger_versions.ts"
export { formatSlots } from "./pool_changes.ts"
export { changedParts, setPartVersions } from "./version_payload.ts"
