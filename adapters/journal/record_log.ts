import type { Effect } from "effect"
import type { StoreFailure } from "../../core/ports/mod.ts"

/** One accepted write: what the ledger was told, as a line of its feed, or what the pool was told. */
export interface Entry {
  readonly kind: "ledger" | "pool"
  readonly text: string
  /** What was decided about it, where that is dear to find out again. */
  readonly decided?: string | undefined
}

/** Where accepted writes go, and when answers may show what they changed: once no crash can undo them. */
export interface RecordLog {
  /** Why nothing can be accepted or shown any more. */
  readonly failure: StoreFailure | undefined
  /** Whether all that was appended may be shown. */
  readonly isDurable: boolean
  /** Puts an entry behind all others. */
  readonly append: (entry: Entry) => void
  /** Ends when everything that was appended may be shown. */
  readonly durable: Effect.Effect<void, StoreFailure>
}
