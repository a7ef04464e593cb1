import type { NetworkConstants } from "../../../core/domain/mod.ts"
import {
  type LedgerSnapshot,
  type LedgerStamp,
  type LedgerTip,
  versionsOf
} from "../../../core/ports/mod.ts"
import type { ComputedResponse } from "../routes/mod.ts"
import type { DependencyVersions } from "./_entity_tag.ts"

/** A snapshot, of which only the stamp may be known. */
export interface KnownSnapshot {
  readonly stamp: LedgerStamp
  readonly snapshot: LedgerSnapshot | null
}

/** The snapshots of a ledger that this process knows without a read. */
export class Snapshots {
  readonly #tip: LedgerTip | null
  readonly #constants: NetworkConstants
  #latest: KnownSnapshot | null = null
  #lastComputedStamp: LedgerStamp | undefined

  constructor(tip: LedgerTip | null, constants: NetworkConstants) {
    this.#tip = tip
    this.#constants = constants
  }

  /**
   * Returns the newest snapshot, the same object while it is the newest; null if its version, block
   * or batch is unknown.
   */
  newest(): KnownSnapshot | null {
    const version = this.#tip?.version() ?? null
    if (version === null) return null
    const latest = this.#latest
    if (latest?.stamp.version === version && latest.snapshot !== null) return latest
    const snapshot = this.#tip!.snapshot?.(version) ?? null
    const stamp = snapshot?.stamp ?? this.#lastComputedStamp
    if (stamp?.version !== version) return null
    return latest?.stamp.version === version && latest.snapshot === snapshot
      ? latest
      : this.#latest = { stamp, snapshot }
  }

  /** Returns the dependencies of an answer; null if it may change without the ledger. */
  dependenciesOf({ dependsOn, stamp }: ComputedResponse): DependencyVersions | null {
    if (dependsOn === undefined || stamp === undefined || this.#tip === null) return null
    this.#lastComputedStamp = stamp
    const snapshot = this.#tip.snapshot?.(stamp.version) ?? null
    return { dependsOn, versions: this.versionsAt(dependsOn, { snapshot, stamp }) }
  }

  /** Returns the versions of dependencies in a snapshot as text; with a star if they are unknown. */
  versionsAt(
    dependsOn: DependencyVersions["dependsOn"],
    { snapshot, stamp }: KnownSnapshot
  ): string {
    if (dependsOn.length === 0) return ""
    // any part may have changed
    return snapshot === null
      ? `*${stamp.version.toString(36)}`
      : versionsOf(dependsOn, snapshot, this.#constants)
  }
}
