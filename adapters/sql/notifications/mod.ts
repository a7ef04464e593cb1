/** Ledger versions and pool changes of other processes, received with LISTEN. */
export {
  notifyPoolChange,
  notifyVersion,
  LedgerVersions,
  type SnapshotListener,
  versionsLayer
} from "./ledger_versions.ts"
export {
  changedParts,
  noPartVersions,
  parseVersionPayload,
  setPartVersions,
  versionPayloadSql
} from "./version_payload.ts"
