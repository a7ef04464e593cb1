import { Context } from "effect"
import type { LedgerStamp, PartVersions } from "./ledger_parts.ts"

/** The stamp of a snapshot, and the version that last changed each part of it. */
export interface LedgerSnapshot {
  readonly stamp: LedgerStamp
  readonly parts: PartVersions
}

/**
 * Port: the newest version of the ledger that a process knows without a query, so that it can serve
 * a cached answer without a read. Null, the default, if the store does not report versions.
 */
export interface LedgerTip {
  /** Identifies the ledger. Versions of ledgers with different ids cannot be compared. */
  readonly id: string
  /**
   * Returns at least the greatest version that this process has read or written; it lags the store
   * by at most one notification. Returns null if no version is known: read the store then.
   */
  readonly version: () => number | null
  /**
   * Returns a recent snapshot by its version, or null if it is unknown: every earlier answer may be
   * stale then. Absent if the store does not report the versions of parts.
   */
  readonly snapshot?: (version: number) => LedgerSnapshot | null
  /** True if the store is remote, so that identical concurrent reads should be merged. */
  readonly isRemote: boolean
}

/** The `LedgerTip` of the stores of a node. */
export const LedgerTip = Context.Reference<LedgerTip | null>("rollup/core/LedgerTip", {
  defaultValue: () => null
})

/** More snapshots than are written while an answer is computed. */
const snapshotsMax = 64

/** The last 64 snapshots of a ledger, by version. */
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
