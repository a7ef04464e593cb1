import type { Effect } from "effect"
import type { StoreFailure } from "../../core/ports/mod.ts"

/** One accepted write: a line of the ledger's feed, or a write of the pool as JSON. */
export interface LogEntry {
  readonly kind: "ledger" | "pool"
  readonly text: string
  /**
   * The changes that a block made, so that a replay does not check the block again. If they are
   * missing or cannot be read, the replay does.
   */
  readonly changes?: string | undefined
}

/**
 * Port: a log of accepted writes. An answer is returned only when the entries that it depends on
 * are durable, that is when no crash can undo them.
 */
export interface RecordLog {
  /** The error of the log; every later read and write fails with it. Undefined while it works. */
  readonly failure: StoreFailure | undefined
  /** Whether all appended entries are durable. */
  readonly isDurable: boolean
  /** Appends an entry. */
  readonly append: (entry: LogEntry) => void
  /** Waits until all appended entries are durable. Fails if the log fails. */
  readonly durable: Effect.Effect<void, StoreFailure>
}
