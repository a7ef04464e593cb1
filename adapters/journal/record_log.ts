import type { Effect } from "effect"
import type { StoreFailure } from "../../core/ports/mod.ts"

/** One accepted write: what the ledger was told, as a line of its feed, or what the pool was told. */
export interface Entry {
  readonly kind: "ledger" | "pool"
  readonly text: string
  /** What was decided about it, where that is dear to find out again. */
  readonly decided?: string | undefined
}

/** Where accepted writes go, and when what they changed may be shown: no crash takes it back then, and whoever has to know of it does. */
export interface RecordLog {
  /** Why nothing can be accepted or shown any more. */
  readonly failure: StoreFailure | undefined
  /** Whether all that was appended may be shown. */
  readonly isDurable: boolean
  /** Whether nobody reads what a decision was about: then its entry has no text. */
  readonly needsNoFeed?: boolean
  /** Puts an entry behind all others. */
  readonly append: (entry: Entry) => void
  /** Ends when everything that was appended may be shown. */
  readonly durable: Effect.Effect<void, StoreFailure>
}
