import { Context } from "effect"
import type { PartVersions } from "./ledger_parts.ts"
import type { LedgerStamp } from "./stamp.ts"

/** A snapshot by name, and which version changed each part of it last. */
export interface LedgerSnapshot {
  readonly stamp: LedgerStamp
  readonly parts: PartVersions
}

/**
 * What a process knows of the newest version of its ledger without asking the store; null where its stores do not tell. With it an
 * answer is found to be current before anything is read.
 */
export interface LedgerTip {
  /** Names the ledger and how it is read: versions of another one, though they are the same numbers, have another content. */
  readonly id: string
  /**
   * Never below a version that this process has shown or written, and not behind the store by more than word of a new version takes to
   * come. Null while nothing is known: then the store has to be asked.
   */
  readonly version: () => number | null
  /**
   * What is known of a version, of the newest and some before it; null where that is nothing, and then whatever was answered about an
   * earlier one may have changed. A tip without it tells no parts.
   */
  readonly snapshot?: (version: number) => LedgerSnapshot | null
  /** Whether the store is elsewhere: it then pays to ask the same thing only once at a time. */
  readonly isRemote: boolean
}

export const LedgerTip = Context.Reference<LedgerTip | null>("rollup/core/LedgerTip", {
  defaultValue: () => null
})

/** Snapshots that answers under way may still show. */
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
