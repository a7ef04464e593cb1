import type { StoreFailure } from "../../../core/ports/mod.ts"

/** One accepted write: a line of the ledger's feed, or a write of the pool as JSON. */
export interface LogEntry {
  /**
   * `head` is a line of the feed that sets the head. It replaces all earlier entries of this kind: a
   * log may drop these, and keeps the last one in its place among the other entries. An empty text
   * removes the head of a checkpoint, so that the blocks behind it need not follow it.
   */
  readonly kind: "ledger" | "pool" | "head"
  readonly text: string
  /** The version of the ledger after a head or a rollback. */
  readonly version?: number | undefined
  /** The time of a rollback, in milliseconds since 1970. */
  readonly timeMs?: number | undefined
}

/**
 * Port: a log of accepted writes. An answer is returned only when the entries that it depends on
 * are durable, that is when no crash can undo them.
 */
export interface RecordLog {
  /** The final error of the log: every later read and write fails with it. Undefined before it. */
  readonly failure: StoreFailure | undefined
  /** Whether all appended entries are durable. */
  readonly isDurable: boolean
  /**
   * Appends an entry. Calls `onSettled` when the entry is durable, in the order of the entries, or
   * dropped, the newest entry first. A log that cannot make an entry durable drops it with all other
   * entries that are not.
   */
  readonly append: (entry: LogEntry, onSettled?: OnSettled) => void
  /**
   * Calls `onSettled` when all entries appended so far are durable or dropped, after the functions
   * that were passed with these entries.
   */
  readonly whenSettled: (onSettled: OnSettled) => void
}

/**
 * Called without an argument if entries are durable, and with the error if they were dropped: with
 * `retry` if a later entry may become durable.
 */
export type OnSettled = (failure?: StoreFailure) => void
