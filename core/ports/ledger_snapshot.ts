import { Schema, Context } from "effect"
import { type NetworkConstants, slotOfBlock } from "../domain/mod.ts"

/** Identifies the snapshot that an answer was computed from. Every answer has one. */
export const SnapshotId = Schema.Struct({
  /** Last stored block. */
  ethereumBlockNum: Schema.BigInt,
  /** The head, if it is above the last stored block. */
  headBlockNum: Schema.optionalKey(Schema.BigInt),
  /** Null before the first batch. */
  batchNum: Schema.NullOr(Schema.Int),
  /** Grows with every applied block and batch, every price, every head and every rollback. */
  version: Schema.Int
})
export type SnapshotId = typeof SnapshotId.Type

/**
 * Returns the id of the snapshot that a ledger shows.
 *
 * @example
 * ```ts
 * import { snapshotIdOf } from "rollup-node-api"
 *
 * const ledger = { lastBlock: { number: 18000000n }, lastBatchNum: 0, version: 40 }
 * const { batchNum, headBlockNum } = snapshotIdOf({ ...ledger, head: { number: 18000007n } })
 * console.log(batchNum, headBlockNum) // => null 18000007n
 * ```
 */
export const snapshotIdOf = ({ head, lastBatchNum, lastBlock, version }: {
  readonly lastBlock: { readonly number: bigint }
  readonly head: { readonly number: bigint } | null
  /** 0 before the first batch. */
  readonly lastBatchNum: number
  readonly version: number
}): SnapshotId => ({
  ethereumBlockNum: lastBlock.number,
  ...head !== null && head.number > lastBlock.number ? { headBlockNum: head.number } : {},
  batchNum: lastBatchNum === 0 ? null : lastBatchNum,
  version
})

/**
 * Returns the block up to which a snapshot is synchronised: its head, or its last stored block.
 *
 * @example
 * ```ts
 * import { synchedBlockNum } from "rollup-node-api"
 *
 * const snapshotId = { ethereumBlockNum: 18000000n, batchNum: 1, version: 40 }
 * console.log(synchedBlockNum(snapshotId)) // => 18000000n
 * console.log(synchedBlockNum({ ...snapshotId, headBlockNum: 18000007n })) // => 18000007n
 * ```
 */
export const synchedBlockNum = ({ ethereumBlockNum, headBlockNum }: SnapshotId): bigint =>
  headBlockNum ?? ethereumBlockNum

/**
 * The parts of a ledger that change separately and that answers depend on. `rollBacks` changes with
 * every rollback that removes a block, `blocks` with every block, and `head` with every head and
 * every rollback that removes only the head. `tokens` includes prices, `exits` includes withdrawals,
 * `auction` is the auction variables, and `verifiers` the rollup variables.
 */
export const ledgerParts = [
  "rollBacks",
  "blocks",
  "tokens",
  "accounts",
  "exits",
  "transactions",
  "batches",
  "auction",
  "bids",
  "coordinators",
  "verifiers",
  "head"
] as const
export type LedgerPart = typeof ledgerParts[number]

/**
 * The version of the ledger that last changed each part; 0 if none did. A rollback changes only
 * `rollBacks`, which every answer depends on.
 */
export type PartVersions = { readonly [P in LedgerPart]: number }

/** The part versions of a ledger with only its genesis block. */
export const noPartChanged: PartVersions = Object.freeze(
  Object.fromEntries(ledgerParts.map((part) => [part, 0]))
) as PartVersions

/**
 * Returns the part versions after a write: `version` for the changed parts.
 *
 * @example
 * ```ts
 * import { noPartChanged, withVersion } from "rollup-node-api"
 *
 * const parts = withVersion(noPartChanged, ["blocks", "tokens"], 3)
 * console.log(parts.blocks, parts.tokens, parts.accounts) // => 3 3 0
 * ```
 */
export const withVersion = (
  before: PartVersions,
  changed: Iterable<LedgerPart>,
  version: number
): PartVersions => {
  const after: { -readonly [P in LedgerPart]: number } = { ...before }
  for (const part of changed) after[part] = version
  return Object.freeze(after)
}

/** The id of a snapshot, and the version that last changed each part of it. */
export interface LedgerSnapshot {
  readonly snapshotId: SnapshotId
  readonly parts: PartVersions
}

/** A dependency of an answer: a part of the ledger, or the slot up to which it is synchronised. */
export type Dependency = LedgerPart | "slot"

/**
 * Returns the versions of the dependencies in a snapshot as a short text. It changes if one of the
 * dependencies changes.
 *
 * @example
 * ```ts
 * import { noPartChanged, versionsOf, withVersion } from "rollup-node-api"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { constants } = simulate({ seed: 1 }).genesis
 * const snapshotId = { ethereumBlockNum: 18000000n, batchNum: 1, version: 40 }
 * const snapshot = { snapshotId, parts: withVersion(noPartChanged, ["tokens"], 40) }
 * console.log(versionsOf(["rollBacks", "tokens"], snapshot, constants)) // => 0.14
 * ```
 */
export const versionsOf = (
  dependencies: ReadonlyArray<Dependency>,
  { parts, snapshotId }: LedgerSnapshot,
  { auction }: NetworkConstants
): string =>
  dependencies.map((part) =>
    (part === "slot" ? slotOfBlock(auction, synchedBlockNum(snapshotId)) : parts[part]).toString(36)
  ).join(".")

/**
 * Port: the newest version of the ledger that a process knows without a query, so that it can serve
 * a cached answer without a read. Null, the default, if the store does not report versions.
 */
export interface LatestLedgerVersion {
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

/**
 * The `LatestLedgerVersion` of the stores of a node. Null, the default, if the store does not report
 * versions.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { LatestLedgerVersion } from "rollup-node-api"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const store = Memory.layer(simulate({ seed: 1 }).genesis)
 * const latestVersion = await Effect.runPromise(Effect.provide(LatestLedgerVersion, store))
 * console.log(latestVersion?.version(), latestVersion?.isRemote) // => 0 false
 * ```
 */
export const LatestLedgerVersion = Context.Reference<LatestLedgerVersion | null>(
  "rollup/core/LatestLedgerVersion",
  { defaultValue: () => null }
)

/** More snapshots than are written while an answer is computed. */
const snapshotsMax = 64

/**
 * Holds the last 64 snapshots of a ledger by version, for `LatestLedgerVersion.snapshot`.
 *
 * @example
 * ```ts
 * import { noPartChanged, RecentSnapshots, withVersion } from "rollup-node-api"
 *
 * const snapshots = new RecentSnapshots()
 * const snapshotId = { ethereumBlockNum: 18000000n, batchNum: null, version: 3 }
 * snapshots.note({ snapshotId, parts: withVersion(noPartChanged, ["blocks"], 3) })
 * console.log(snapshots.at(3)?.parts.blocks, snapshots.at(2)) // => 3 null
 * ```
 */
export class RecentSnapshots {
  readonly #byVersion = new Map<number, LedgerSnapshot>()

  note(snapshot: LedgerSnapshot): void {
    this.#byVersion.set(snapshot.snapshotId.version, snapshot)
    if (this.#byVersion.size > snapshotsMax) {
      this.#byVersion.delete(this.#byVersion.keys().next().value!)
    }
  }

  at(version: number): LedgerSnapshot | null {
    return this.#byVersion.get(version) ?? null
  }
}

/**
 * Port: detects changes of a remote pool without a query, so that a request never joins a computation
 * that started before a change. The numbers are local to the process.
 */
export interface LatestPoolVersion {
  /**
   * Returns a number that changes with each write of this process, before the write is
   * acknowledged, and with each notification of a write by another process. Returns null while
   * notifications may be lost.
   */
  readonly version: () => number | null
}

/**
 * The `LatestPoolVersion` of the stores of a node. Null, the default, if the store is not remote.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { LatestPoolVersion } from "rollup-node-api"
 * import { poolLayer } from "rollup-node-api/memory"
 *
 * const latestVersion = await Effect.runPromise(Effect.provide(LatestPoolVersion, poolLayer))
 * console.log(latestVersion) // => null
 * ```
 */
export const LatestPoolVersion = Context.Reference<LatestPoolVersion | null>(
  "rollup/core/LatestPoolVersion",
  { defaultValue: () => null }
)
