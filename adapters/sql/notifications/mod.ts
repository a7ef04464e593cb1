/** Ledger versions and pool changes of other processes, received with LISTEN. */
export { notifyPlaces, notifyVersion, LedgerVersions, versionsLayer } from "./ledger_versions.ts"
export { writePlaces } from "./pool_changes.ts"
export { partFlags, raiseParts } from "./version_payload.ts"
