import type { Effect } from "effect"
import type { Revision, WireContext } from "../../contract/mod.ts"
import type { NetworkConstants } from "../../domain/mod.ts"
import type { Dependency, SnapshotId } from "../../ports/mod.ts"
import type { ReadFailure } from "./read_failures.ts"

/** The item ids of the first and the last item of a page. */
export interface PageEnds {
  readonly firstItem: number
  readonly lastItem: number
}

/** The answer of an operation: JSON text, and the id of its snapshot. */
export interface Answer {
  readonly json: string
  /** Absent if the answer does not read the ledger. */
  readonly snapshotId?: SnapshotId
  /**
   * The answer is current while none of these parts of the ledger changes. Absent if it can change
   * without the ledger, such as an answer about the pool.
   */
  readonly dependsOn?: ReadonlyArray<Dependency>
  /** In the order of the page; null if it is empty. Absent if it is not a page of the ledger. */
  readonly page?: PageEnds | null
  /** 200 by default; 503 if the node says that it cannot answer. */
  readonly status?: 503
}

/**
 * Executes one operation of one revision. Path values and query string are percent-encoded, as in
 * the URL.
 */
export type ReadOperation = (
  path: ReadonlyArray<string>,
  query: string
) => Effect.Effect<Answer, ReadFailure>

/** The options of `readInterfaces`. */
export interface ReadOptions {
  readonly context: WireContext
  readonly constants: NetworkConstants
  /** All served revisions. */
  readonly revisions: ReadonlyArray<Revision>
  /** Maximum number of items in a list parameter; the maximum page size by default. */
  readonly listItemsMax?: number
  /** Seconds that the coordinator waits between two batches, as `state` shows it; 0 by default. */
  readonly forgeDelaySeconds?: number
}
