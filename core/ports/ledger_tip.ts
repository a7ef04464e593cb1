import { Context } from "effect"
import type { LedgerStamp, PartVersions } from "./ledger_parts.ts"

/** The stamp of a snapshot, and the version that last changed each part of it. */
export interface LedgerSnapshot {
  readonly stamp: LedgerStamp
  readonly parts: PartVersions
}

/**
 * The newest version of the ledger that a process knows without a query; null if the stores do not
 * report versions. A cached answer can be found current before anything is read.
 */
export interface LedgerTip {
  /**
   * Identifies the ledger and how it is read: equal versions with another id have other content.
   */
  readonly id: string
  /**
   * At least every version returned or written here; lags the store by at most one notification.
   * Null while no version is known: then the store has to be read.
   */
  readonly version: () => number | null
  /**
   * Returns a recent snapshot by its version; null if it is unknown, and then every earlier answer
   * may be stale. A tip without this method reports no parts.
   */
  readonly snapshot?: (version: number) => LedgerSnapshot | null
  /** Whether the store is remote: identical concurrent reads are then worth merging. */
  readonly isRemote: boolean
}

export const LedgerTip = Context.Reference<LedgerTip | null>("rollup/core/LedgerTip", {
  defaultValue: () => null
})

/** Number of snapshots, enough for all unfinished answers. */
const snapshotsMax = 64

/** The last snapshots of a ledger, by version. */
export class RecentSnapshots {
  readonly #byVersion = new Map<number, LedgerSnapshot>()

  note(snapshot: LedgerSnapshot): void {
    this.#byVersion.set(snapshot.stamp.version, snapshot)
    if (this.#byVersion.size > snapshotsMax) {
      this.#byVersion.delete(this.#byVersion.keys().next().value!)
    }
  }

  at(version: number): LedgerSnapshot | null {
    return this.#byVersion.get(version) ?? null
  }
}
